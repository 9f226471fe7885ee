import type { DelayEstimator } from './delay-estimator.ts';
import type { DelayPlan } from './delay-plan.ts';

/** Packets after which arrival times can be predicted. */
const packetsToKnow = 10;

/**
 * The edge of a stream is twice the lateness of the latest recent packet, since the next may be later, and at most 2
 * ms. It lowers the p99 delay of rooms of three with late phones and ticks from 24 to 20 ms; on an even network it is
 * 0.
 */
const edgePart = 2;
const mostEdgeMs = 2;

/** Relates the times of `take` to the arrivals of a stream, for the choice of a phase. */
export class FramePace {
  readonly #estimator: DelayEstimator;
  readonly #plan: DelayPlan;

  constructor(estimator: DelayEstimator, plan: DelayPlan) {
    this.#estimator = estimator;
    this.#plan = plan;
  }

  /**
   * When the newest audio is ready, on the clock of `put`: a `take` just after it waits least. NaN before ten packets.
   */
  get readyMs(): number {
    if (this.#estimator.observed < packetsToKnow) return Number.NaN;
    return this.#estimator.newestMs() + this.#plan.slackToChooseMs(this.#estimator);
  }

  /** Interval at which audio is ready: the common divisor of packets and frames, usually 20 ms. */
  get everyMs(): number {
    return this.#plan.stepMs;
  }

  /**
   * How early audio should be before its turn, so that the buffer needs no extra frame: 0 on an even network, or where
   * a turn can be deferred.
   */
  get edgeMs(): number {
    if (this.#plan.patienceMs > 0) return 0;
    return Math.min(mostEdgeMs, edgePart * this.#estimator.quantileMs(1));
  }

  /**
   * The same for the present times of `take`, usually negative: they may come a little before `readyMs`. Only while the
   * buffer is known to hold no extra frame, because with so little slack it would not let go of one.
   */
  get stayEdgeMs(): number {
    const { edgeMs } = this;
    const toChooseMs = this.#plan.slackToChooseMs(this.#estimator);
    const holdsNone = this.#plan.slackMs < toChooseMs + edgeMs;
    return holdsNone ? this.#plan.slackToStayMs(this.#estimator) - toChooseMs : edgeMs;
  }

  /** How long a `take` can be deferred for late audio; default 0. */
  set patienceMs(patienceMs: number) {
    this.#plan.patienceMs = patienceMs;
  }

  /** The times of `take` have moved: earlier observations are invalid. */
  retime(): void {
    this.#plan.retime();
  }
}
