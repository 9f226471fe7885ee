import type { Clock, Database, Logger, Media, Metrics, Secrets, Sms } from '@jackfield/ports';
import { type WithOutboxEvents, withOutboxEvents } from '../../kernel/outbox-emitting.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Calls } from '../calls/index.ts';
import type { Sounds } from '../sounds/index.ts';
import type { Receipts } from './delivery/receipts.ts';
import { createVoice } from './delivery/voice.ts';
import {
  type Attempt,
  isClosed,
  type SessionEffect,
  type SessionInput,
  type VerifySession,
} from './domain/session.ts';
import { type SessionTimes, sessionMachine, sessionTimes } from './domain/session-machine.ts';
import { messageText } from './domain/words.ts';
import { outboxEventOf } from './events.ts';
import { countingLane, type Limiter } from './limits/limiter.ts';
import { saveSession } from './store.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly sms: Sms;
  readonly calls: Pick<Calls, 'ownedBy' | 'dial' | 'hangUp'>;
  readonly sounds: Sounds;
  /** Reports the voice of the callee. */
  readonly media: Pick<Media, 'send'>;
  readonly limiter: Limiter;
  readonly receipts: Pick<Receipts, 'match'>;
  readonly times?: SessionTimes;
  /** The caller of verification calls when neither request nor app names one. */
  readonly callerId?: string;
}

/** One session for each verification: its machine, its record, and all sending and speaking of codes. */
export function defineSessions(
  deps: SessionDeps,
  fallBack: (session: VerifySession, attempt: Attempt) => void,
): Sessions<VerifySession, SessionInput> {
  const { sms, log, secrets, limiter, metrics, receipts } = deps;
  const voice = createVoice(deps, (session, input) => sessions.send(session, input));

  const sessions = deps.runner.define<VerifySession, SessionInput, WithOutboxEvents<SessionEffect>>({
    name: 'verify',
    laneKey: countingLane,
    machine: withOutboxEvents(sessionMachine(deps.times ?? sessionTimes), (session, { event, attempt }) =>
      outboxEventOf(session, event, attempt),
    ),
    async save(write, _uuid, before, after, incarnation) {
      await saveSession(write, before, after, incarnation);
      if (after.status === 'verified' && before?.status !== 'verified') {
        await limiter.noteVerified(write, after.recipient, deps.clock.now());
      }
    },
    isEnded: isClosed,
    perform(uuid, effect) {
      const session = sessions.peek(uuid);
      if (session === undefined) return;
      switch (effect.do) {
        case 'send-sms':
          metrics.count('jackfield_verify_sends_total', { channel: 'sms' });
          return sendSms(session, effect.attempt);
        case 'match-receipt':
          return receipts.match(uuid, effect.attempt.uuid, effect.message);
        case 'dial':
          metrics.count('jackfield_verify_sends_total', { channel: 'voice' });
          return voice.dial(session, effect.attempt);
        case 'speak':
          if (session.sealedCode === null) return;
          return voice.speak(session, effect.attempt, effect.part, secrets.decrypt(session.sealedCode));
        case 'stop-speaking':
          return voice.stopSpeaking(effect.attempt, effect.part);
        case 'hang-up':
          return voice.hangUp(effect.attempt);
        case 'listen':
          return voice.listen(effect.attempt, effect.isOn);
        case 'fall-back':
          return fallBack(session, effect.attempt);
      }
    },
  });

  function sendSms(session: VerifySession, attempt: Attempt): void {
    if (session.sealedCode === null) return;
    const { uuid, account, mainAccount, recipient: to, template } = session;
    const validUntil = deps.clock.now() + session.expiresAt - sessions.nowOf(uuid);
    const { locale, sender: from } = attempt;
    const brand = attempt.brandName ?? '';
    const appHash = attempt.appHash ?? '';
    const text = messageText({ template, locale, brand, appHash }, secrets.decrypt(session.sealedCode));
    sms.send({ id: attempt.uuid, account, mainAccount, from, to, text, validUntil }).then(
      (outcome) =>
        outcome.accepted
          ? sessions.send(uuid, { type: 'sms-accepted', attempt: attempt.uuid, message: outcome.message })
          : sessions.send(uuid, { type: 'sms-refused', attempt: attempt.uuid, errorCode: outcome.errorCode }),
      // The error may contain the text, so it is not logged.
      () => {
        log.error({ session: uuid, attempt: attempt.uuid }, 'message gateway threw');
        sessions.send(uuid, { type: 'sms-refused', attempt: attempt.uuid, errorCode: 'gateway-failed' });
      },
    );
  }

  return sessions;
}
