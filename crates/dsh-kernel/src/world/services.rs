//! Services in the world: who provides, who runs on what, who starts or unloads when that changes (K10).

use crate::agenda::Agenda;
use crate::error::{Error, ErrorKind};
use crate::fiber::FiberState;
use crate::fiber::core::FiberCore;
use crate::latch::Latch;
use crate::name::Name;
use crate::plugin::DynPlugin;
use crate::service::{Provision, Reach};
use crate::sync::Arc;
use crate::world::{EffectId, FiberId, ProvisionData, ProvisionId, World};

/// A start that may begin.
pub(crate) struct StartPlan {
    pub(crate) core: Arc<FiberCore>,
    pub(crate) plugin: Arc<dyn DynPlugin>,
    pub(crate) independent: bool,
}

impl World {
    /// Takes the name and records the provision; its users are told by [`World::provided`].
    pub(crate) fn provide(
        &mut self,
        owner: FiberId,
        effect: EffectId,
        provision: Arc<Provision>,
    ) -> Result<ProvisionId, Error> {
        if let Some(first) = self.by_name.get(&provision.name).and_then(|id| self.provisions.get(*id)) {
            let first = self.fibers.get(first.owner).map(|fiber| fiber.core.owner());
            let name = provision.name.clone();
            let by = first.as_ref().map_or_else(|| "another fiber".to_owned(), |owner| format!("`{owner}`"));
            let message = format!("the service `{name}` is provided by {by} already; dispose that one first");
            let error = Error::build(ErrorKind::DuplicateService, message).label(name);
            return Err(match first {
                Some(owner) => error.owner(owner).into(),
                None => error.into(),
            });
        }
        let name = provision.name.clone();
        let id = self.provisions.insert(ProvisionData {
            provision: Arc::clone(&provision),
            owner,
            effect,
            withdrawn: false,
            users: std::collections::BTreeMap::new(),
            latch: Latch::new(),
        });
        self.by_name.insert(name, id);
        if let Some(fiber) = self.fibers.get_mut(owner) {
            fiber.provided.insert(provision.number, id);
            Reach::add(&fiber.core.reach, provision);
        }
        Ok(id)
    }

    /// A provision is complete: plugins that wait for it start, where its owner is active.
    pub(crate) fn provided(&mut self, id: ProvisionId, agenda: &mut Agenda) {
        if self.is_visible(id) {
            self.changed_provision(id);
            self.notify(id, agenda);
        }
    }

    /// The owner has become active, and so all that it provides is there.
    pub(crate) fn provider_active(&mut self, owner: FiberId, agenda: &mut Agenda) {
        let provided = self.fibers.get(owner).map(|fiber| fiber.provided.values().copied().collect::<Vec<_>>());
        for id in provided.unwrap_or_default() {
            self.provided(id, agenda);
        }
    }

    fn notify(&mut self, id: ProvisionId, agenda: &mut Agenda) {
        let Some(data) = self.provisions.get(id) else { return };
        let injectors: Vec<FiberId> = self
            .injectors
            .get(&data.provision.name)
            .map(|fibers| fibers.values().copied().collect())
            .unwrap_or_default();
        for fiber in injectors {
            self.refresh(fiber, agenda);
        }
    }

    /// Withdraws a service from new users at once and frees its name; the latch is set when the last user has unloaded.
    pub(crate) fn withdraw(&mut self, id: ProvisionId, agenda: &mut Agenda) -> Option<Arc<Latch>> {
        let data = self.provisions.get_mut(id)?;
        data.withdrawn = true;
        let latch = Arc::clone(&data.latch);
        let owner = data.owner;
        let name = data.provision.name.clone();
        if self.by_name.get(&name) == Some(&id) {
            self.by_name.remove(&name);
        }
        if let (Some(fiber), Some(data)) = (self.fibers.get_mut(owner), self.provisions.get(id)) {
            fiber.provided.remove(&data.provision.number);
            Reach::remove(&fiber.core.reach, &data.provision, &mut agenda.garbage);
        }
        self.changed_provision(id);
        self.lost_hope(agenda);
        for user in self.users_to_unload(id) {
            self.begin_unload(user, agenda);
        }
        self.release_provision(id, agenda);
        Some(latch)
    }

    /// Whoever runs on the provision and is active, in mount order.
    pub(crate) fn users_to_unload(&self, id: ProvisionId) -> Vec<FiberId> {
        let Some(data) = self.provisions.get(id) else { return Vec::new() };
        let active = |user: &FiberId| self.fibers.get(*user).is_some_and(|fiber| fiber.state() == FiberState::Active);
        data.users.values().copied().filter(active).collect()
    }

    /// Looks whether a plugin can start now, or has to unload.
    pub(crate) fn refresh(&mut self, id: FiberId, agenda: &mut Agenda) {
        let wanted = self.wanted(id);
        let Some(fiber) = self.fibers.get(id).filter(|fiber| fiber.plugin.is_some()) else { return };
        match fiber.state() {
            FiberState::Pending if wanted.is_some() => self.queue_start(id, agenda),
            FiberState::Failed if wanted.is_some() && wanted != fiber.failed_epoch => self.queue_start(id, agenda),
            FiberState::Active if fiber.epoch != wanted => self.begin_unload(id, agenda),
            FiberState::Pending
            | FiberState::Failed
            | FiberState::Active
            | FiberState::Loading
            | FiberState::Unloading
            | FiberState::Disposed => {}
        }
    }

    /// The provisions that a plugin would start on now; `None` where one is missing.
    pub(crate) fn wanted(&self, id: FiberId) -> Option<Vec<ProvisionId>> {
        let fiber = self.fibers.get(id)?;
        if fiber.dispose_asked {
            return None;
        }
        fiber.inject.iter().map(|name| self.visible(name)).collect()
    }

    fn visible(&self, name: &Name) -> Option<ProvisionId> {
        self.by_name.get(name).copied().filter(|id| self.is_visible(*id))
    }

    fn is_visible(&self, id: ProvisionId) -> bool {
        self.provisions.get(id).is_some_and(|data| {
            !data.withdrawn && self.fibers.get(data.owner).is_some_and(|fiber| fiber.state() == FiberState::Active)
        })
    }

    /// Whether somebody holds the name, visible or not.
    pub(crate) fn is_named(&self, name: &Name) -> bool {
        self.by_name.contains_key(name)
    }

    /// Those who declare that they provide a service, in mount order.
    pub(crate) fn declarers(&self, name: &Name) -> Vec<FiberId> {
        self.declared.get(name).map(|fibers| fibers.values().copied().collect()).unwrap_or_default()
    }

    /// The services that a pending plugin lacks.
    pub(crate) fn missing(&self, id: FiberId) -> Vec<Name> {
        let Some(fiber) = self.fibers.get(id) else { return Vec::new() };
        fiber.inject.iter().filter(|name| self.visible(name).is_none()).cloned().collect()
    }

    /// Begins a start, if it is still due.
    pub(crate) fn plan_start(&mut self, id: FiberId, agenda: &mut Agenda) -> Option<StartPlan> {
        let wanted = self.wanted(id);
        let fiber = self.fibers.get_mut(id)?;
        fiber.behind = None;
        if !std::mem::take(&mut fiber.queued) {
            return None;
        }
        let due = match fiber.state() {
            FiberState::Pending => true,
            FiberState::Failed => wanted != fiber.failed_epoch,
            FiberState::Loading | FiberState::Active | FiberState::Unloading | FiberState::Disposed => false,
        };
        let plan = match (&fiber.plugin, &wanted) {
            (Some(plugin), Some(_)) if due => {
                let (core, plugin) = (Arc::clone(&fiber.core), Arc::clone(plugin));
                Some(StartPlan { core, plugin, independent: fiber.independent })
            }
            _ => None,
        };
        if plan.is_some() {
            let mount = fiber.mount;
            fiber.failed_epoch = None;
            fiber.epoch.clone_from(&wanted);
            let core = Arc::clone(&fiber.core);
            let mut reach = Vec::new();
            for provision in wanted.into_iter().flatten() {
                if let Some(data) = self.provisions.get_mut(provision) {
                    data.users.insert(mount, id);
                    reach.push(Arc::clone(&data.provision));
                }
            }
            core.reach.store(Arc::new(Reach::new(reach)));
            self.set_state(id, FiberState::Loading, agenda);
        }
        self.less_busy(agenda);
        plan
    }

    /// The start has ended: the plugin is active, or unloads.
    pub(crate) fn finish_start(&mut self, id: FiberId, error: Option<Error>, agenda: &mut Agenda) {
        let wanted = self.wanted(id);
        let Some(fiber) = self.fibers.get_mut(id) else { return };
        let failed = error.is_some();
        let replaced = std::mem::replace(&mut *fiber.core.error.lock(), error);
        agenda.garbage.push(Box::new(replaced));
        if failed {
            fiber.failed_epoch.clone_from(&fiber.epoch);
        }
        if failed || wanted != fiber.epoch {
            self.begin_unload(id, agenda);
        } else {
            self.set_state(id, FiberState::Active, agenda);
            self.provider_active(id, agenda);
        }
    }

    /// The fiber runs on nothing any more.
    pub(crate) fn release_epoch(&mut self, id: FiberId, agenda: &mut Agenda) {
        let Some(fiber) = self.fibers.get_mut(id) else { return };
        let Some(epoch) = fiber.epoch.take() else { return };
        let mount = fiber.mount;
        agenda.garbage.push(Box::new(fiber.core.reach.swap(Arc::new(Reach::default()))));
        for provision in epoch {
            if let Some(data) = self.provisions.get_mut(provision) {
                data.users.remove(&mount);
            }
            self.release_provision(provision, agenda);
        }
    }

    /// A withdrawn provision without users has ended.
    fn release_provision(&mut self, id: ProvisionId, agenda: &mut Agenda) {
        let over = self.provisions.get(id).is_some_and(|data| data.withdrawn && data.users.is_empty());
        if over && let Some(data) = self.provisions.remove(id) {
            agenda.ended.push((data.latch, Ok(())));
            agenda.garbage.push(Box::new(data.provision));
        }
    }

    /// What the root may use is whatever is provided (K10): its reach follows.
    pub(crate) fn changed_provision(&mut self, id: ProvisionId) {
        let Some(data) = self.provisions.get(id) else { return };
        let visible = self.is_visible(id);
        let Some(root) = self.root.and_then(|root| self.fibers.get(root)) else { return };
        if visible {
            Reach::add(&root.core.reach, Arc::clone(&data.provision));
        } else {
            Reach::remove(&root.core.reach, &data.provision, &mut Vec::new());
        }
    }
}
