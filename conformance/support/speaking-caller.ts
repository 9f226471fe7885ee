import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { BaresipPhone } from './baresip-phone.ts';
import { CallbackReceiver } from './callback-receiver.ts';
import { cleanUp } from './clean-up.ts';
import { missing } from './installed.ts';
import { PlatformProcess } from './platform-process.ts';
import { writeWords } from './spoken-words.ts';

const recogniser = join(import.meta.dirname, 'telephone-recogniser.ts');
const password = 'secret-of-a-phone';

/** False where phone and recogniser are installed; otherwise the reason with which tests are skipped. */
export const missingSpeech = () => missing('baresip', 'sox', 'pocketsphinx_continuous');

export interface SpeakingCaller {
  readonly platform: PlatformProcess;
  /** The customer's server. */
  readonly server: CallbackReceiver;
  /** Of a phone that answers by itself and says three digits, now and again. */
  readonly username: string;
}

/** A phone that speaks, the server, and a recogniser that others wrote, for the tests of the suite that calls this. */
export function speakingCaller(settings: Readonly<Record<string, string>> = {}): SpeakingCaller {
  const parts: { -readonly [Part in keyof SpeakingCaller]?: SpeakingCaller[Part] } = {};
  let directory = '';
  let phone: BaresipPhone | undefined;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'speaking-caller-'));
    const soundFile = join(directory, 'words.wav');
    await writeWords(soundFile);
    const platform = await PlatformProcess.start({
      JACKFIELD_SPEECH_ENGINE: `command:${process.execPath} ${recogniser}`,
      JACKFIELD_LOG_LEVEL: 'debug',
      ...settings,
    });
    parts.platform = platform;
    parts.server = await CallbackReceiver.start();
    const { username } = await platform.createEndpoint('caller', password);
    parts.username = username;
    const registrar = platform.sipAddress;
    phone = await BaresipPhone.start({ registrar, username, password, toneHz: 0, soundFile });
    await phone.registered();
  });

  after(() =>
    cleanUp(
      () => phone?.stop(),
      () => parts.platform?.untilQuiet(),
      () => parts.server?.stop(),
      () => parts.platform?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  return parts as SpeakingCaller;
}
