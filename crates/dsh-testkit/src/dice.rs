//! A small random number generator of its own, so that a seed says all.

/// Random numbers that a seed says all of, for stress tests.
///
/// ```
/// use dsh_testkit::Dice;
///
/// let (mut one, mut same) = (Dice::new(7, 1), Dice::new(7, 1));
/// assert_eq!(one.roll(6), same.roll(6));
/// assert!(one.roll(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one of those who throw at once in the round of a seed.
    pub fn new(seed: u64, thrower: u64) -> Self {
        let mixed = (seed.wrapping_mul(64).wrapping_add(thrower).wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(mixed.max(1))
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from((self.0 >> 16) % u64::from(sides.max(1))).unwrap_or_default()
    }

    /// Whether a chance of one in `sides` has come.
    pub fn one_in(&mut self, sides: u32) -> bool {
        self.roll(sides) == 0
    }

    /// An index into something of that length; `None` where it is empty.
    pub fn index(&mut self, length: usize) -> Option<usize> {
        let sides = u32::try_from(length).ok().filter(|length| *length > 0)?;
        usize::try_from(self.roll(sides)).ok()
    }
}
