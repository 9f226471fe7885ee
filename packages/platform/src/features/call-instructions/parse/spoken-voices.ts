import { readVoice } from '@jackfield/contract';
import { quoted } from '@jackfield/ports';

/** The warning about a voice that the hosted service sells; undefined for the two voices of the platform. */
export function voiceWarning(name: string): string | undefined {
  if (!/^polly\./i.test(name)) return undefined;
  return `the voice ${quoted(name)} is not offered here: a ${readVoice(name)} speaks instead`;
}
