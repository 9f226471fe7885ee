import assert from 'node:assert/strict';
import type {
  DialRequest,
  LegEnd,
  LegKey,
  LegListener,
  LegNotice,
  MediaLegs,
  Telephony,
} from '@jackfield/ports';

type OfferedLeg = Extract<LegNotice, { readonly type: 'leg-offered' }>;

/** The call of a phone or a trunk: its account and its endpoint have to be named, the rest has defaults. */
export type NewOffer = Partial<OfferedLeg> & Pick<OfferedLeg, 'account' | 'to'>;

/**
 * Signalling without SIP, phones and RTP: the test reports what happens to each leg, and reads what was ordered. For rules that do not depend
 * on signalling, and for events that a phone causes at no exact moment. The media engine has the legs, and gets no packet from them.
 */
export interface SimulatedTelephony extends Telephony {
  /** In the order of dialling. */
  readonly dialled: readonly DialRequest[];
  /** Each order with its leg, for example `dial <leg>`, `answer <leg>` or `hang up <leg> 480`. */
  readonly orders: readonly string[];
  /** A phone calls; the result is its leg. */
  callIn(offer: NewOffer): string;
  /** The phone of a dialled leg rings. */
  startRinging(leg: string): void;
  /** The phone of a dialled leg sends audio before it answers. */
  openEarlyMedia(leg: string): void;
  pickUp(leg: string): void;
  /** The phone presses keys, one after another. */
  press(leg: string, digits: string): void;
  /** The phone hangs up, or the leg ends as given. */
  leave(leg: string, end?: LegEnd): void;
  /** The phones of all legs hang up. */
  leaveAll(): void;
  /** Legs that have not ended. */
  census(): { readonly legs: number };
}

export interface SimulatedTelephonyDeps {
  readonly mediaLegs: MediaLegs;
  readonly newUuid: () => string;
  /** Called before each notice, because its listener may begin work that has to settle. */
  readonly touched: () => void;
}

const usualOffer = {
  type: 'leg-offered',
  endpoint: '',
  from: 'alice',
  callerName: 'Alice',
  sourceAddress: '192.0.2.1',
  headers: {},
} as const;

/** A short press of a key. */
const keyMs = 100;

export function createSimulatedTelephony({
  mediaLegs,
  newUuid,
  touched,
}: SimulatedTelephonyDeps): SimulatedTelephony {
  const dialled: DialRequest[] = [];
  const orders: string[] = [];
  const live = new Set<string>();
  let notify: LegListener = () => {};
  let pressed: (key: LegKey) => void = () => {};

  function report(notice: LegNotice): void {
    touched();
    notify(notice);
  }

  function reportLive(notice: LegNotice): void {
    assert.ok(live.has(notice.leg), `there is no leg ${notice.leg}`);
    report(notice);
  }

  function begin(leg: string): void {
    assert.ok(!live.has(leg), `leg ${leg} exists already`);
    live.add(leg);
    void mediaLegs.open(leg);
  }

  function end(leg: string, how: LegEnd): void {
    if (!live.delete(leg)) return;
    void mediaLegs.close(leg);
    report({ type: 'leg-ended', leg, end: how });
  }

  /** Signalling carries out an order later, never inside of it. */
  function soon(leg: string, then: () => void): void {
    touched();
    queueMicrotask(() => {
      if (live.has(leg)) then();
    });
  }

  return {
    dialled,
    orders,
    listen(listener) {
      notify = listener;
    },
    listenToKeys(listener) {
      pressed = listener;
    },
    open: () => Promise.resolve(),
    dial(request) {
      dialled.push(request);
      orders.push(`dial ${request.leg}`);
      begin(request.leg);
    },
    ring: (leg) => void orders.push(`ring ${leg}`),
    openEarly(leg) {
      orders.push(`open early ${leg}`);
      soon(leg, () => report({ type: 'leg-early', leg }));
    },
    answer(leg) {
      orders.push(`answer ${leg}`);
      soon(leg, () => report({ type: 'leg-answered', leg }));
    },
    hangUp(leg, status) {
      orders.push(`hang up ${leg}${status === undefined ? '' : ` ${status}`}`);
      soon(leg, () => end(leg, { by: 'local' }));
    },
    callIn(offer) {
      const leg = offer.leg ?? newUuid();
      begin(leg);
      report({ ...usualOffer, ...offer, leg });
      return leg;
    },
    startRinging: (leg) => reportLive({ type: 'leg-ringing', leg }),
    openEarlyMedia: (leg) => reportLive({ type: 'leg-early', leg }),
    pickUp: (leg) => reportLive({ type: 'leg-answered', leg }),
    press(leg, digits) {
      touched();
      for (const digit of digits) pressed({ leg, digit, durationMs: keyMs });
    },
    leave: (leg, how = { by: 'remote-bye' }) => end(leg, how),
    leaveAll() {
      for (const leg of live) end(leg, { by: 'remote-bye' });
    },
    census: () => ({ legs: live.size }),
  };
}
