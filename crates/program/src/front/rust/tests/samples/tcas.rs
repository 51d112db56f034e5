//! A decision like that of TCAS.

const MAX_ALT_DIFF: i32 = 600;
const MIN_SEPARATION: i32 = 300;
const NO_ALERT: usize = LEVELS - 4;
const LEVELS: usize = 4;
static POSITIVE_RA_ALT_THRESHOLD: [i32; LEVELS] = [400, 500, 640, 740];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Advice {
    Unresolved,
    Upward,
    Downward,
}

#[derive(Clone, Debug)]
struct Aircraft {
    altitude: i32,
    rate: i32,
    layer: usize,
}

struct Encounter {
    own: Aircraft,
    other: Aircraft,
    separation: (i32, i32),
    high_confidence: bool,
}

impl Aircraft {
    fn new(altitude: i32, rate: i32, layer: usize) -> Self {
        Aircraft { altitude, rate, layer }
    }

    fn threshold(&self) -> i32 {
        POSITIVE_RA_ALT_THRESHOLD[self.layer]
    }

    fn climb(&mut self, by: i32) {
        self.altitude += by;
        self.rate = by;
    }
}

impl Encounter {
    fn up(&self) -> i32 {
        self.separation.0
    }

    fn own_below(&self) -> bool {
        self.own.altitude < self.other.altitude
    }

    fn non_crossing_climb(&self) -> bool {
        let upward_preferred = self.up() > self.separation.1;
        if upward_preferred {
            !self.own_below() || (self.own_below() && !(self.separation.1 >= self.own.threshold()))
        } else {
            !self.own_below() && self.separation.1 >= MIN_SEPARATION && self.up() >= self.own.threshold()
        }
    }

    fn advice(&self) -> Advice {
        let enabled = self.high_confidence
            && self.own.rate <= MAX_ALT_DIFF
            && self.own.layer >= NO_ALERT;
        if !enabled {
            return Advice::Unresolved;
        }
        let need_up = self.non_crossing_climb() && self.own_below();
        let need_down = !self.non_crossing_climb() && !self.own_below();
        match (need_up, need_down) {
            (true, true) | (false, false) => Advice::Unresolved,
            (true, _) => Advice::Upward,
            (_, true) => Advice::Downward,
        }
    }
}

fn meet(own: i32, other: i32, up: i32, down: i32) -> Encounter {
    Encounter {
        own: Aircraft::new(own, 100, 1),
        other: Aircraft { altitude: other, ..Aircraft::new(0, 0, 0) },
        separation: (up, down),
        high_confidence: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advises() {
        assert_eq!(meet(1000, 2000, 700, 400).advice(), Advice::Upward);
        assert_eq!(meet(2000, 1000, 300, 400).advice(), Advice::Downward);
        assert_eq!(meet(1000, 2000, 400, 700).advice(), Advice::Unresolved);
        let mut met = meet(1000, 2000, 700, 400);
        met.own.climb(5000);
        assert_eq!(met.advice(), Advice::Unresolved);
        assert_eq!(met.own.altitude, 6000);
        let copy = met.own.clone();
        met.own.altitude = 1;
        assert_eq!(copy.altitude, 6000);
    }

    #[test]
    fn fails_to_advise() {
        assert_eq!(meet(1000, 2000, 700, 400).advice(), Advice::Downward);
    }

    #[test]
    fn fails_out_of_layers() {
        Aircraft::new(1, 2, 4).threshold();
    }
}
