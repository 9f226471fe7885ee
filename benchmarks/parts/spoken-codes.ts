import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { servePart } from '../part.ts';
import { type JudgedCodec, type JudgedCodes, judgeCodes } from '../spoken-codes/judge.ts';

export type { JudgedCodec, JudgedCodes };

const speech = createEspeakSpeech();

servePart({
  judge: ({ codec, count }: { codec: JudgedCodec; count: number }): Promise<JudgedCodes> =>
    judgeCodes(speech, codec, count),
});
