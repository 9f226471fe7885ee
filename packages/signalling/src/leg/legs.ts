import type { DialRequest, LegListener, SignallingTrace } from '@jackfield/ports';
import type { IncomingInvite } from '@jackfield/sip';
import { faultAnswer } from '../requests/fault-answer.ts';
import { audioReach, confineCaller } from './dial-terms.ts';
import { firstForwards, forwardsLeftOf } from './forwards-left.ts';
import { createLegRunner, type LegRunnerDeps } from './leg-runner.ts';
import { newKeys, type SrtpPolicy } from './leg-srtp.ts';
import { createLegTelephony, type LegListeners, type LegTelephony } from './leg-telephony.ts';
import { newIce, type WebrtcOptions } from './leg-webrtc.ts';
import { type LiveLeg, newLiveLeg } from './live-leg.ts';
import { createNewLegs, type NewLegsDeps } from './new-legs.ts';
import { offeredNotice } from './offered-notice.ts';
import type { ProtocolOf } from './private-signalling.ts';
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
  extends Omit<
      LegRunnerDeps,
      'domain' | 'drawKeys' | 'drawIce' | 'transfers' | 'press' | 'report' | 'forget'
    >,
    Omit<TakeInviteDeps, 'domains' | 'newLegs' | 'transfers'>,
    Pick<NewLegsDeps, 'addressFor' | 'remoteAddressOf' | 'newSessionId'> {
  readonly newUuid: () => string;
  /** SIP domains that are ours, lower case; the first is the host part of From in our INVITEs. */
  readonly domains: readonly [string, ...string[]];
  /** No SRTP when absent. */
  readonly srtp?: SrtpOptions;
  readonly trace?: SignallingTrace;
  /** As of `TransfersDeps`. */
  readonly nodeOf?: (tag: string) => string | undefined;
  /** No WebRTC when absent, or without `srtp`. */
  readonly webrtc?: WebrtcOptions;
}

export interface Legs {
  readonly telephony: LegTelephony;
  /** Dials a leg whose notifications go to this listener alone. */
  dialFor(request: DialRequest, listener: LegListener): void;
  /** See `DialledCall.nextAddress`; undefined for a leg without an INVITE. */
  nextAddress(leg: string, silentMs: number): number | undefined;
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
  const listeners: LegListeners = { notify() {}, press() {}, report() {} };
  const transfers = createTransfers({
    domains: deps.domains,
    ...(deps.gruus && { gruus: deps.gruus }),
    ...(deps.trace && { trace: deps.trace }),
    ...(deps.nodeOf && { nodeOf: deps.nodeOf }),
    isAnswered: (leg) => legs.get(leg)?.state.phase === 'answered',
  });
  const drawKeys = srtp && (() => newKeys(srtp.randomBytes));
  const drawIce = srtp && deps.webrtc && (() => newIce(srtp.randomBytes));
  const newLegs = createNewLegs({
    ...deps,
    srtp: srtp?.policy ?? 'off',
    protocolOf: srtp?.protocolOf ?? (() => undefined),
    drawKeys,
    webrtc: deps.webrtc,
    drawIce,
  });
  const runner = createLegRunner({
    ...deps,
    domain: deps.domains[0],
    drawKeys,
    drawIce,
    transfers,
    press: (key) => listeners.press(key),
    report: (report) => listeners.report(report),
    forget(live) {
      if (legs.get(live.leg) === live) legs.delete(live.leg);
    },
  });

  const taking: TakeInviteDeps = { ...deps, newLegs, transfers };

  function begin(live: LiveLeg): LiveLeg {
    legs.set(live.leg, live);
    return live;
  }

  function dialFor(request: DialRequest, listener: LegListener): void {
    const { leg, targets, forwards } = request;
    const forwarded = forwards === undefined ? undefined : legs.get(forwards);
    const forwardsLeft = forwarded === undefined ? firstForwards : forwarded.forwardsLeft - 1;
    const state = newLegs.preparing(request);
    const live = begin(newLiveLeg({ leg, listener, state, request, forwardsLeft }));
    runner.send(live, { type: 'dial', targets: targets.length, forwardsLeft });
  }

  async function invited(incoming: IncomingInvite): Promise<void> {
    const taken = await takeInvite(taking, incoming);
    if (taken === undefined) return;
    const { admitted, state, callee, replaces } = taken;
    const leg = admitted.leg ?? deps.newUuid();
    const forwardsLeft = forwardsLeftOf(incoming.request);
    const live = begin(newLiveLeg({ leg, listener: listeners.notify, state, incoming, forwardsLeft }));
    live.release = taken.release;
    live.audioReach = audioReach(deps, admitted);
    if (admitted.carrier === undefined) confineCaller(deps, leg, incoming);
    incoming.listen(runner.listenerOf(live));
    // A caller that gave up meanwhile has ended before its leg was reported.
    if (!legs.has(leg)) return;
    transfers.began(leg, incoming);
    live.listener(offeredNotice(leg, incoming, admitted, callee, replaces));
  }

  const telephony = createLegTelephony({ legs, runner, transfers, listeners, dialFor });

  return {
    telephony,
    dialFor,
    nextAddress: (leg, silentMs) => legs.get(leg)?.outgoing?.nextAddress(silentMs),
    invited(incoming) {
      invited(incoming).catch((error: unknown) => {
        const { status, fields } = faultAnswer(error, 'INVITE admission', log);
        incoming.reject(status, fields);
      });
    },
    count: () => legs.size,
    hangUpAll() {
      for (const leg of [...legs.keys()]) telephony.hangUp(leg, 503);
    },
  };
}
