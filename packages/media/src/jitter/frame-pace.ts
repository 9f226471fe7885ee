import type { DelayEstimator } from './delay-estimator.ts';
import type { DelayPlan } from './delay-plan.ts';

/** Packets after which their arrivals say something about the ones to come. */
const packetsToKnow = 10;

/** How the moments of `take` fit the arrivals of a stream: for whoever can choose these moments. */
export class FramePace {
  readonly #estimator: DelayEstimator;
  readonly #plan: DelayPlan;

  constructor(estimator: DelayEstimator, plan: DelayPlan) {
    this.#estimator = estimator;
    this.#plan = plan;
  }

  /** When the newest audio can be counted on, by the clock of `put`, so that a `take` just after it waits least; NaN before ten packets. */
  get readyMs(): number {
    if (this.#estimator.observed < packetsToKnow) return Number.NaN;
    return this.#estimator.newestMs() + this.#plan.dependableSlackMs(this.#estimator);
  }

  /** Audio can be counted on again after so long: what packets and frames have in common, 20 ms as a rule. */
  get everyMs(): number {
    return this.#plan.stepMs;
  }

  /** The moments have moved: what was learnt about waiting for them is no longer true. */
  retime(): void {
    this.#plan.retime();
  }
}
