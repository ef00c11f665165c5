//! Four template engines. Each compiles the text once, and gets its values in the form that it likes best, made beforehand.

use std::collections::BTreeMap;

use dsh_kernel::Failure;

/// The name that the template is registered by where an engine wants one. It has no ending that would turn escaping on.
const NAME: &str = "prompt";

/// A template engine with the whole prompt as one template.
pub(crate) trait Engine: Sized {
    /// Values in its own form.
    type Values;

    /// Compiles the text.
    fn new(text: &str) -> Result<Self, Failure>;

    /// Brings values into its form.
    fn values(pairs: &[(&str, &str)]) -> Result<Self::Values, Failure>;

    /// Renders.
    fn render(&self, values: &Self::Values) -> Result<String, Failure>;
}

/// The crate minijinja.
#[derive(Debug)]
pub(crate) struct Minijinja(minijinja::Environment<'static>);

impl Engine for Minijinja {
    type Values = minijinja::Value;

    fn new(text: &str) -> Result<Self, Failure> {
        let mut environment = minijinja::Environment::new();
        environment.add_template_owned(NAME, text.to_owned())?;
        Ok(Self(environment))
    }

    fn values(pairs: &[(&str, &str)]) -> Result<Self::Values, Failure> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), minijinja::Value::from(*value)));
        Ok(minijinja::Value::from(pairs.collect::<BTreeMap<String, _>>()))
    }

    fn render(&self, values: &Self::Values) -> Result<String, Failure> {
        Ok(self.0.get_template(NAME)?.render(values)?)
    }
}

/// The crate tera.
#[derive(Debug)]
pub(crate) struct Tera(tera::Tera);

impl Engine for Tera {
    type Values = tera::Context;

    fn new(text: &str) -> Result<Self, Failure> {
        let mut tera = tera::Tera::default();
        tera.add_raw_template(NAME, text)?;
        Ok(Self(tera))
    }

    fn values(pairs: &[(&str, &str)]) -> Result<Self::Values, Failure> {
        let mut context = tera::Context::new();
        for (name, value) in pairs {
            context.insert((*name).to_owned(), value);
        }
        Ok(context)
    }

    fn render(&self, values: &Self::Values) -> Result<String, Failure> {
        Ok(self.0.render(NAME, values)?)
    }
}

/// The crate handlebars.
#[derive(Debug)]
pub(crate) struct Handlebars(handlebars::Handlebars<'static>);

impl Engine for Handlebars {
    type Values = handlebars::Context;

    fn new(text: &str) -> Result<Self, Failure> {
        let mut handlebars = handlebars::Handlebars::new();
        handlebars.register_escape_fn(handlebars::no_escape);
        handlebars.register_template_string(NAME, text)?;
        Ok(Self(handlebars))
    }

    fn values(pairs: &[(&str, &str)]) -> Result<Self::Values, Failure> {
        Ok(handlebars::Context::wraps(pairs.iter().copied().collect::<BTreeMap<_, _>>())?)
    }

    fn render(&self, values: &Self::Values) -> Result<String, Failure> {
        Ok(self.0.render_with_context(NAME, values)?)
    }
}

/// The crate upon.
#[derive(Debug)]
pub(crate) struct Upon(upon::Engine<'static>);

impl Engine for Upon {
    type Values = upon::Value;

    fn new(text: &str) -> Result<Self, Failure> {
        let mut engine = upon::Engine::new();
        engine.add_template(NAME, text.to_owned()).map_err(|error| Failure::msg(error.to_string()))?;
        Ok(Self(engine))
    }

    fn values(pairs: &[(&str, &str)]) -> Result<Self::Values, Failure> {
        let pairs: BTreeMap<_, _> = pairs.iter().copied().collect();
        upon::to_value(pairs).map_err(|error| Failure::msg(error.to_string()))
    }

    fn render(&self, values: &Self::Values) -> Result<String, Failure> {
        self.0.template(NAME).render_from(values).to_string().map_err(|error| Failure::msg(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Engine, Handlebars, Minijinja, Tera, Upon};

    fn rendered<E: Engine>() -> String {
        let engine = E::new("In {{cwd}} & <{{user}}>.\n- {{cwd}}\n\n{ and } stay").unwrap();
        engine.render(&E::values(&[("cwd", "/srv/\"a\""), ("user", "sam & co")]).unwrap()).unwrap()
    }

    #[test]
    fn every_engine_copies_values_as_they_are() {
        let wanted = "In /srv/\"a\" & <sam & co>.\n- /srv/\"a\"\n\n{ and } stay";
        assert_eq!(rendered::<Minijinja>(), wanted);
        assert_eq!(rendered::<Tera>(), wanted);
        assert_eq!(rendered::<Handlebars>(), wanted);
        assert_eq!(rendered::<Upon>(), wanted);
    }
}
