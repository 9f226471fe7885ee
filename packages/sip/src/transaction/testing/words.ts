import { createRequest } from '../../message/create-request.ts';
import { createResponse } from '../../message/create-response.ts';
import type { SipRequest, SipResponse } from '../../message/message.ts';
import type { ClientEffect } from '../effects.ts';
import type { InviteServerEffect } from '../invite-server.ts';
import { RFC3261_TIMERS, type TransactionSetting } from '../timers.ts';

/** The time at which the tables start. */
export const START = 10_000;

/** UDP and TCP with the timers of RFC 3261. */
export const udp: TransactionSetting = { reliable: false, timers: RFC3261_TIMERS };
export const tcp: TransactionSetting = { reliable: true, timers: RFC3261_TIMERS };

/** Effects as short words: `send INVITE`, `start A +500`, `deliver 180`. */
export function words(effects: readonly (ClientEffect | InviteServerEffect)[], now = START): string[] {
  return effects.map((effect) => {
    switch (effect.do) {
      case 'send':
        return `send ${effect.text.slice(0, effect.text.search(/ sip:|\r|$/))}`;
      case 'start-timer':
        return `start ${effect.key} +${effect.at - now}`;
      case 'cancel-timer':
        return `cancel ${effect.key}`;
      case 'deliver':
        return `deliver ${effect.response.status}`;
      case 'report':
        return `report ${effect.failure}`;
      default:
        return effect.do;
    }
  });
}

/** A request before its transaction. */
export function sampleRequest(method: string): SipRequest {
  return createRequest({
    method,
    uri: 'sip:bob@192.0.2.2',
    via: 'SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK74bf9',
    from: '<sip:alice@192.0.2.1>;tag=9fxced76sl',
    to: '<sip:bob@192.0.2.2>',
    callId: '3848276298220188511@192.0.2.1',
    cseq: 7,
    routes: ['<sip:proxy.example.com;lr>'],
  });
}

/** A response to it; `toTag` names the fork. */
export function sampleResponse(method: string, status: number, toTag = 'bob'): SipResponse {
  return createResponse(sampleRequest(method), status, undefined, { toTag });
}
