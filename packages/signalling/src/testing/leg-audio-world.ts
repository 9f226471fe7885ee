import type { AgreedMedia } from '@jackfield/ports';
import type { SipMessage } from '@jackfield/sip';
import {
  type Agreed,
  heardFrom,
  type LegAudio,
  makeAnswer,
  makeDowngradedOffer,
  makeOffer,
  newLegAudio,
  previewAnswer,
  takeAnswer,
} from '../leg/leg-audio.ts';
import { type LegSrtp, lacksKeys, newKeys, noSrtp, withKeys } from '../leg/leg-srtp.ts';

/** The audio of one leg with an open port, its agreements as the media engine gets them, and keys that count up. */
export function legAudioWorld(srtp: LegSrtp = noSrtp) {
  const connected: AgreedMedia[] = [];
  let serial = 0;
  let audio: LegAudio = stocked({
    ...newLegAudio({ address: '192.0.2.1', sessionId: '1', srtp }),
    port: 40_000,
  });

  function stocked(next: LegAudio): LegAudio {
    if (!lacksKeys(next.srtp)) return next;
    const fresh = newKeys((count) => new Uint8Array(count).fill(++serial));
    return { ...next, srtp: withKeys(next.srtp, fresh) };
  }

  function follow<Next extends Agreed>(next: Next | undefined): Next | undefined {
    if (next === undefined) return undefined;
    if (next.connect !== undefined) connected.push(next.connect);
    audio = stocked(next.audio);
    return next;
  }

  const media = {
    cameFrom(message: SipMessage): void {
      audio = heardFrom(audio, message);
    },
    offer: (): string => follow(makeOffer(audio))!.description,
    answer: (offer: string): string | undefined => follow(makeAnswer(audio, offer))?.description,
    takeAnswer: (answer: string): boolean => follow(takeAnswer(audio, answer)) !== undefined,
    preview: (offer: string, answer: string): boolean =>
      follow(previewAnswer(audio, offer, answer)) !== undefined,
    downgrade: (status: number): string | undefined =>
      follow(makeDowngradedOffer(audio, status))?.description,
  };
  return { media, connected };
}
