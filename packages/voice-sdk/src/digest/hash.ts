import { challengeAnswer } from '@jackfield/sip/digest';
import type { Hash } from '@jackfield/sip/phone';
import { md5 } from './md5.ts';
import { sha256 } from './sha256.ts';

export { challengeAnswer };

/** The hashes of digest authentication. */
export const hash: Hash = (algorithm, text) => (algorithm === 'MD5' ? md5(text) : sha256(text));
