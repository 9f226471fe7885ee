import { callEnds, type Logger, legSpec, type Media } from '@jackfield/ports';
import type { Calls } from '../../calls/index.ts';
import type { PlayItem, Sounds } from '../../sounds/index.ts';
import type { Attempt, SessionInput, VerifySession } from '../domain/session.ts';
import { introText, promptText, spokenLanguage } from '../domain/words.ts';
import { spokenDigits } from './spoken-digits.ts';

export interface VoiceDeps {
  readonly log: Logger;
  readonly calls: Pick<Calls, 'ownedBy' | 'dial' | 'hangUp'>;
  readonly sounds: Sounds;
  readonly media: Pick<Media, 'send'>;
  readonly callerId?: string;
}

export interface Voice {
  dial(session: VerifySession, attempt: Attempt): void;
  speak(session: VerifySession, attempt: Attempt, part: 'prompt' | 'code', code: string): void;
  stopSpeaking(attempt: Attempt, part: 'prompt' | 'code'): void;
  hangUp(attempt: Attempt): void;
  listen(attempt: Attempt, isOn: boolean): void;
}

const ownerKind = 'verify';
/** Shorter than most voicemail delays, long enough to find the phone. */
const ringTimeoutSeconds = 40;
/** Enough to speak the code many times. */
const timeLimitSeconds = 120;
/** The SIP name of a caller without a number (RFC 3261 §8.1.1.3). */
const anonymous = 'anonymous';

/** Calls that speak a code. The leg has the UUID of its attempt, so that the call record and the callback agree. */
export function createVoice(
  { log, calls, sounds, media, callerId = anonymous }: VoiceDeps,
  send: (session: string, input: SessionInput) => void,
): Voice {
  calls.ownedBy(
    ownerKind,
    (owner, notice) => {
      const [session, attempt] = owner.split('/') as [string, string];
      switch (notice.type) {
        case 'leg-answered':
          return send(session, { type: 'call-answered', attempt });
        case 'leg-voice':
          return send(session, { type: 'call-voice', attempt, speaking: notice.speaking });
        case 'leg-digit':
          return send(session, { type: 'call-digit', attempt, digit: notice.digit });
        case 'leg-ended':
          return send(session, { type: 'call-ended', attempt, errorCode: String(notice.end.code) });
      }
      // Private: a user of the API must not hear the code.
    },
    'private',
  );
  sounds.ownedBy(ownerKind, (owner, notice) => {
    if (notice.type !== 'play-over') return;
    const [session, attempt] = owner.split('/') as [string, string];
    const part = notice.play.endsWith('/code') ? 'code' : 'prompt';
    const isWhole = notice.because === 'finished' && (part === 'prompt' || notice.problems.length === 0);
    send(session, { type: 'spoken', attempt, part, isWhole });
  });

  return {
    dial(session, attempt) {
      const { uuid, account, mainAccount, recipient: to } = session;
      calls
        .dial({
          leg: attempt.uuid,
          account,
          mainAccount,
          owner: { kind: ownerKind, id: `${uuid}/${attempt.uuid}` },
          spec: legSpec({
            from: attempt.sender ?? callerId,
            callerName: attempt.brandName ?? '',
            to,
            ringTimeoutSeconds,
            timeLimitSeconds,
          }),
        })
        .catch((err: unknown) => {
          log.error({ err, session: uuid, attempt: attempt.uuid }, 'verification call could not be placed');
          send(uuid, { type: 'call-ended', attempt: attempt.uuid, errorCode: 'error' });
        });
    },
    speak(session, attempt, part, code) {
      sounds.play({
        play: `${attempt.uuid}/${part}`,
        owner: { kind: ownerKind, id: `${session.uuid}/${attempt.uuid}` },
        to: [attempt.uuid],
        items: part === 'code' ? codeItems(attempt, code) : promptItems(attempt),
        loop: part === 'code' ? 2 : 3,
      });
    },
    stopSpeaking: (attempt, part) => sounds.stop(`${attempt.uuid}/${part}`),
    hangUp: (attempt) => calls.hangUp(attempt.uuid, callEnds(4000, 'Service')),
    listen: ({ uuid: leg }, isOn) => media.send({ do: 'watch-voice', leg, watched: isOn }),
  };
}

function codeItems(attempt: Attempt, code: string): readonly PlayItem[] {
  const say = speaker(attempt);
  return [
    say(introText(attempt.locale, attempt.brandName ?? '')),
    { kind: 'silence', durationMs: 400 },
    ...spokenDigits(attempt.locale, code),
    { kind: 'silence', durationMs: 800 },
  ];
}

function promptItems(attempt: Attempt): readonly PlayItem[] {
  const text = promptText(attempt.locale, attempt.brandName ?? '');
  return [speaker(attempt)(text), { kind: 'silence', durationMs: 3000 }];
}

function speaker({ locale }: Attempt): (text: string) => PlayItem {
  const language = spokenLanguage(locale);
  return (text) => ({ kind: 'speech', text, language, voice: 'woman' });
}
