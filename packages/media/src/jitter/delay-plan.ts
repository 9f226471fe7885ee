import type { DelayEstimator } from './delay-estimator.ts';

/** Frames between two changes, for observation: half a second. */
const settleFrames = 25;
/** The same after frames moved in time, which changes the slack but not the network. */
const retimedFrames = 8;
/**
 * The delay grows while fewer packets than the first share are in time; it shrinks if the second share would still be.
 */
const growShare = 0.97;
const shrinkShare = 0.995;
/** A chosen phase is kept while this share is in time: between the two, so that the delay need not grow. */
const stayShare = 0.985;
/** Extra slack required before the delay shrinks, so that it does not soon grow again. */
const hysteresisMs = 1;

/**
 * Decides by how much the delay should change. A packet's slack is the time from its arrival, as fast as the fastest
 * packet, to the frame that first needs it. Frames are taken whole, so the slack changes in steps of the greatest
 * common divisor of frame and packet. Any delay between two steps is useless.
 */
export class DelayPlan {
  /** Timestamp units still to be removed (positive) or inserted (negative). */
  pending = 0;
  /** How long a frame can be deferred for late audio; packets within this time need no delay. */
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

  /** Slack that the first packet of a talkspurt needs, so that the following packets are in time. */
  startingSlackMs(estimator: DelayEstimator): number {
    // Where packets and frames are not aligned, some packet is needed this long before its own start.
    const misfit = (this.#frameUnits - this.#step) / this.#unitsPerMs;
    return this.#requiredMs(estimator, growShare) + misfit;
  }

  /** Slack that the choice of a phase should leave; less where frames can be deferred. */
  slackToChooseMs(estimator: DelayEstimator): number {
    return this.patienceMs > 0 ? this.#requiredMs(estimator, growShare) : this.#dependableSlackMs(estimator);
  }

  /** Slack with which a phase is kept: less than to choose one, so that a mix does not follow each late packet. */
  slackToStayMs(estimator: DelayEstimator): number {
    return this.#requiredMs(estimator, this.patienceMs > 0 ? growShare : stayShare);
  }

  /** The least slack of the last half second; NaN after a change. */
  get slackMs(): number {
    return this.#previousSlackMs;
  }

  /** Slack that is sufficient in the long run: a frame with less than this plus one step is never dropped. */
  #dependableSlackMs(estimator: DelayEstimator): number {
    return this.#requiredMs(estimator, shrinkShare) + hysteresisMs;
  }

  get stepMs(): number {
    return this.#step / this.#unitsPerMs;
  }

  notePacket(units: number): void {
    if (units === this.#packetUnits || units <= 0) return;
    this.#packetUnits = units;
    this.#step = greatestCommonDivisor(units, this.#frameUnits);
  }

  /** Required likeness for a change: strict for half a second, fair for another half, then none. */
  requiredLikeness(hurries: boolean): number {
    return this.age > 50 ? -1 : hurries || this.age > 25 ? 0.5 : 0.85;
  }

  noteSlack(slackMs: number): void {
    this.#slacks++;
    if (slackMs < this.#leastSlackMs) this.#leastSlackMs = slackMs;
  }

  /** After a change of delay, earlier observations are invalid. */
  settle(): void {
    this.pending = 0;
    this.age = 0;
    this.#previousSlackMs = Number.NaN;
    this.#observeAnew();
  }

  /** After frames moved in time, all slack moves by the same amount, so a few frames suffice for a decision. */
  retime(): void {
    this.settle();
    this.#frames = settleFrames - retimedFrames;
  }

  /**
   * To be called once per frame; `bufferedUnits` are decoded but not yet taken. Sets `pending` when a change is due.
   */
  decide(estimator: DelayEstimator, bufferedUnits: number): void {
    this.age++;
    if (this.pending !== 0 || ++this.#frames < settleFrames || this.#slacks < settleFrames / 5) return;
    const slack = this.#leastSlackMs;
    // A slow sender clock consumes the slack gradually: act two observations before it is gone.
    const decline = slack < this.#previousSlackMs ? this.#previousSlackMs - slack : 0;
    this.#observeAnew();
    this.#previousSlackMs = slack;
    this.age = 0;
    const { stepMs } = this;
    const between = bufferedUnits % this.#step;
    const surplus = slack - this.#dependableSlackMs(estimator) + this.patienceMs;
    const missing = this.#requiredMs(estimator, growShare) - slack + 2 * decline - this.patienceMs;
    if (missing > 0) {
      // The delay grows only after enough packets were observed.
      if (estimator.observed >= 50) this.pending = between - Math.ceil(missing / stepMs) * this.#step;
    } else this.pending = between + Math.max(0, Math.floor(surplus / stepMs)) * this.#step;
  }

  #observeAnew(): void {
    this.#leastSlackMs = Number.POSITIVE_INFINITY;
    this.#slacks = 0;
    this.#frames = 0;
  }

  #requiredMs(estimator: DelayEstimator, share: number): number {
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
