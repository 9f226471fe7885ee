import type { DialRequest, LegKey, LegListener, Telephony } from '@jackfield/ports';
import type { IncomingInvite, UserAgent } from '@jackfield/sip';
import { audioReach, confineCaller } from './dial-terms.ts';
import { firstForwards, forwardsLeftOf } from './forwards-left.ts';
import { newLegAudio } from './leg-audio.ts';
import { createLegRunner, type LegRunnerDeps } from './leg-runner.ts';
import { dialledSrtp, type SrtpPolicy } from './leg-srtp.ts';
import type { LegInput, PreparingLeg } from './leg-state.ts';
import { callOf, type LiveLeg, newLiveLeg } from './live-leg.ts';
import { offeredNotice } from './offered-notice.ts';
import { isOfBrowser, isReachedInPrivate, type ProtocolOf } from './private-signalling.ts';
import { type TakeInviteDeps, takeInvite } from './take-invite.ts';
import { createTransfers } from './transfers.ts';

/** SRTP with keys in SDP. */
export interface SrtpOptions {
  readonly policy: SrtpPolicy;
  /** Unpredictable bytes, for keys. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly protocolOf: ProtocolOf;
}

export interface LegsDeps
  extends Omit<LegRunnerDeps, 'domain' | 'randomBytes' | 'transfers' | 'press' | 'forget'>,
    Omit<TakeInviteDeps, 'domains' | 'srtp' | 'protocolOf' | 'randomBytes' | 'transfers'> {
  readonly newUuid: () => string;
  /** SIP domains that are ours, lower case; the first is the host part of From in our INVITEs. */
  readonly domains: readonly [string, ...string[]];
  /** No SRTP when absent. */
  readonly srtp?: SrtpOptions;
  readonly invite: UserAgent['invite'];
}

export interface Legs {
  /** The telephony port without the opening of sockets. */
  readonly telephony: Omit<Telephony, 'open'>;
  /** Dials a leg whose notifications go to this listener alone. */
  dialFor(request: DialRequest, listener: LegListener): void;
  /** Accepts or refuses an INVITE outside of any dialog. */
  invited(incoming: IncomingInvite): void;
  /** Legs that have not ended. */
  count(): number;
  /** Ends every leg, with 503 where it was not answered. */
  hangUpAll(): void;
}

/** All legs of one edge, named by their call UUIDs: dialogs on one side, media legs on the other. */
export function createLegs(deps: LegsDeps): Legs {
  const { log, srtp } = deps;
  const legs = new Map<string, LiveLeg>();
  let notify: LegListener = () => {};
  let press: (key: LegKey) => void = () => {};
  const transfers = createTransfers({
    domains: deps.domains,
    ...(deps.gruus && { gruus: deps.gruus }),
    isAnswered: (leg) => legs.get(leg)?.state.phase === 'answered',
  });
  const runner = createLegRunner({
    ...deps,
    domain: deps.domains[0],
    randomBytes: srtp?.randomBytes,
    transfers,
    press: (key) => press(key),
    forget(live) {
      if (legs.get(live.leg) === live) legs.delete(live.leg);
    },
  });
  const srtpPolicy = srtp?.policy ?? 'off';
  const protocolOf: ProtocolOf = srtp?.protocolOf ?? (() => undefined);
  const randomBytes = srtp?.randomBytes;
  const inviteDeps: TakeInviteDeps = { ...deps, srtp: srtpPolicy, protocolOf, randomBytes, transfers };

  function order(leg: string, input: LegInput): void {
    const live = legs.get(leg);
    if (live !== undefined) runner.feed(live, input);
  }

  function begin(live: LiveLeg): LiveLeg {
    legs.set(live.leg, live);
    return live;
  }

  function dialFor(request: DialRequest, listener: LegListener): void {
    const { leg, targets, forwards } = request;
    const forwarded = forwards === undefined ? undefined : legs.get(forwards);
    const forwardsLeft = forwarded === undefined ? firstForwards : forwarded.forwardsLeft - 1;
    const live = begin(newLiveLeg({ leg, listener, state: preparingLeg(request), request, forwardsLeft }));
    runner.feed(live, { type: 'dial', targets: targets.length, forwardsLeft });
  }

  function preparingLeg({ targets }: DialRequest): PreparingLeg {
    const isPrivate =
      srtpPolicy !== 'off' && targets.every((target) => isReachedInPrivate(target, protocolOf));
    return {
      phase: 'preparing',
      audio: newLegAudio({
        address: deps.mediaAddress,
        sessionId: deps.newSessionId(),
        srtp: dialledSrtp(srtpPolicy, isPrivate),
        // All targets get one description.
        describesEvents: !targets.some(({ flow }) => isOfBrowser(flow, protocolOf)),
      }),
    };
  }

  async function invited(incoming: IncomingInvite): Promise<void> {
    const taken = await takeInvite(inviteDeps, incoming);
    if (taken === undefined) return;
    const { admitted, state, callee, replaces } = taken;
    const leg = admitted.leg ?? deps.newUuid();
    const forwardsLeft = forwardsLeftOf(incoming.request);
    const live = begin(newLiveLeg({ leg, listener: notify, state, incoming, forwardsLeft }));
    live.release = taken.release;
    live.audioReach = audioReach(deps, admitted);
    if (admitted.carrier === undefined) confineCaller(deps, leg, incoming);
    transfers.began(leg, incoming);
    incoming.listen(runner.listenerOf(live));
    // A caller that gave up meanwhile has ended before its leg was reported.
    if (!legs.has(leg)) return;
    live.listener(offeredNotice(leg, incoming, admitted, callee, replaces));
  }

  const telephony: Legs['telephony'] = {
    listen: (listener) => {
      notify = listener;
    },
    listenToKeys: (listener) => {
      press = listener;
    },
    listenToTransfers: (listener) => transfers.listen(listener),
    reportTransfer(leg, status) {
      const live = legs.get(leg);
      if (live !== undefined) callOf(live)?.reportReferral(status);
    },
    dial: (request) => dialFor(request, notify),
    ring: (leg) => order(leg, { type: 'ring' }),
    openEarly: (leg) => order(leg, { type: 'open-early' }),
    answer: (leg) => order(leg, { type: 'answer' }),
    hangUp: (leg, status = 603) => order(leg, { type: 'hang-up', status }),
  };

  return {
    telephony,
    dialFor,
    invited(incoming) {
      invited(incoming).catch((error: unknown) => {
        log.error({ err: error }, 'INVITE admission failed');
        incoming.reject(500);
      });
    },
    count: () => legs.size,
    hangUpAll() {
      for (const leg of [...legs.keys()]) telephony.hangUp(leg, 503);
    },
  };
}
