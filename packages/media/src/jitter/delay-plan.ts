import type { DelayEstimator } from './delay-estimator.ts';

/** Frames that must have been seen since the last change before the next one is thought of: half a second. */
const settleFrames = 25;
/** The same after frames have moved in time, which changes the slack by as much but not the network. */
const retimedFrames = 8;
/** Share of packets that must be in time, else the delay grows; and the share that a smaller delay must keep. */
const growShare = 0.97;
const shrinkShare = 0.995;
/** A frame is only given up when so much more than that would have been in time, or it would soon be wanted back. */
const hysteresisMs = 1;

/**
 * Decides by how much the delay should change. A packet's slack is the time between the moment when the fastest packet
 * would have brought it and the frame that first needs it. Whole frames are taken from a stream at a time, so the slack
 * moves in steps of the greatest common divisor of frame and packet; anything between two steps is delay for nothing.
 */
export class DelayPlan {
  /** Timestamp units still to be taken out (positive) or put in (negative). */
  pending = 0;
  /** How long a frame may be put off when its audio is late: no delay is needed for what comes meanwhile. */
  patienceMs = 0;
  /** Frames since the pending change was decided. */
  age = 0;
  readonly #unitsPerMs: number;
  readonly #frameUnits: number;
  readonly #minDelayMs: number;
  readonly #maxDelayMs: number;
  #packetUnits: number;
  #step: number;
  #leastSlackMs = Number.POSITIVE_INFINITY;
  #previousSlackMs = Number.NaN;
  #slacks = 0;
  #frames = 0;

  constructor(clockRate: number, frameUnits: number, minDelayMs: number, maxDelayMs: number) {
    this.#unitsPerMs = clockRate / 1000;
    this.#frameUnits = frameUnits;
    this.#minDelayMs = minDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#packetUnits = frameUnits;
    this.#step = frameUnits;
  }

  /** Slack that the first packet of a talkspurt must have, so that the ones after it come in time. */
  startingSlackMs(estimator: DelayEstimator): number {
    // Where packets and frames do not line up, some packet is wanted this much before its own start.
    const misfit = (this.#frameUnits - this.#step) / this.#unitsPerMs;
    return this.#wantedMs(estimator, growShare) + misfit;
  }

  /** Slack that whoever chooses the moments of frames should leave; less where they can be put off. */
  slackToChooseMs(estimator: DelayEstimator): number {
    return this.patienceMs > 0 ? this.#wantedMs(estimator, growShare) : this.#dependableSlackMs(estimator);
  }

  /** Slack that is enough for good: a frame that waits for less than this and one step more is never given up. */
  #dependableSlackMs(estimator: DelayEstimator): number {
    return this.#wantedMs(estimator, shrinkShare) + hysteresisMs;
  }

  get stepMs(): number {
    return this.#step / this.#unitsPerMs;
  }

  notePacket(units: number): void {
    if (units === this.#packetUnits || units <= 0) return;
    this.#packetUnits = units;
    this.#step = greatestCommonDivisor(units, this.#frameUnits);
  }

  /** How good a place for the change must be: half a second of looking for a good one, then another half for a fair one. */
  wantedLikeness(hurries: boolean): number {
    return this.age > 50 ? -1 : hurries || this.age > 25 ? 0.5 : 0.85;
  }

  noteSlack(slackMs: number): void {
    this.#slacks++;
    if (slackMs < this.#leastSlackMs) this.#leastSlackMs = slackMs;
  }

  /** The delay changed: what was observed before says nothing about it any more. */
  settle(): void {
    this.pending = 0;
    this.age = 0;
    this.#previousSlackMs = Number.NaN;
    this.#observeAnew();
  }

  /** Frames come at other moments from now on: slack moves with them, all at once, so a few of them tell what is to be done. */
  retime(): void {
    this.settle();
    this.#frames = settleFrames - retimedFrames;
  }

  /** To be asked once a frame; `bufferedUnits` are decoded but not yet taken. Sets `pending` when a change is due. */
  decide(estimator: DelayEstimator, bufferedUnits: number): void {
    this.age++;
    if (this.pending !== 0 || ++this.#frames < settleFrames || this.#slacks < settleFrames / 5) return;
    const slack = this.#leastSlackMs;
    // A sender whose clock is slow uses the slack up bit by bit: act before it is gone, two observations ahead.
    const decline = slack < this.#previousSlackMs ? this.#previousSlackMs - slack : 0;
    this.#observeAnew();
    this.#previousSlackMs = slack;
    this.age = 0;
    const { stepMs } = this;
    const between = bufferedUnits % this.#step;
    const spare = slack - this.#dependableSlackMs(estimator) + this.patienceMs;
    const missing = this.#wantedMs(estimator, growShare) - slack + 2 * decline - this.patienceMs;
    if (missing > 0) {
      // Many packets must agree before anybody waits longer for them.
      if (estimator.observed >= 50) this.pending = between - Math.ceil(missing / stepMs) * this.#step;
    } else this.pending = between + Math.max(0, Math.floor(spare / stepMs)) * this.#step;
  }

  #observeAnew(): void {
    this.#leastSlackMs = Number.POSITIVE_INFINITY;
    this.#slacks = 0;
    this.#frames = 0;
  }

  #wantedMs(estimator: DelayEstimator, share: number): number {
    return Math.max(this.#minDelayMs, Math.min(estimator.quantileMs(share), this.#maxDelayMs));
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) {
    const rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
