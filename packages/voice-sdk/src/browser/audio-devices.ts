import { Emitter } from '../emitter.ts';

/** Changes what the microphone hears; the phone stops the tracks of what it returns when it needs them no more. */
export type MicrophoneFilter = (stream: MediaStream) => Promise<MediaStream> | MediaStream;

/** The devices of a phone and what it does with audio; all are optional. */
export interface AudioOptions {
  /** Device ids of `devices.list`. */
  readonly microphone?: string;
  readonly speaker?: string;
  readonly ringDevice?: string;
  /** URL of the sound of an incoming call; without it the phone is silent. */
  readonly ringtone?: string;
  /** Constraints of the microphone; the default is the browser's echo cancellation and noise suppression. */
  readonly constraints?: MediaTrackConstraints;
  /** Change what the microphone hears, one after another, such as `noiseSuppression` of the entry `noise-suppression`. */
  readonly processors?: readonly MicrophoneFilter[];
  /** Instead of a microphone: a stream, or the URL of a sound that repeats. */
  readonly source?: MediaStream | string;
  /** Instead of a speaker: gets the received audio of each call. */
  readonly sink?: (stream: MediaStream) => void;
}

/** Kinds of devices. */
export type DeviceKind = 'audioinput' | 'audiooutput' | 'ring';

/** Events of the devices. */
export interface DeviceEvents {
  /** The list is another one. */
  readonly changed: undefined;
  /** A microphone in use has ended: it was unplugged, or the user no longer allows it. */
  readonly 'microphone-ended': undefined;
}

interface Use {
  /** Gets a stream of another microphone. */
  readonly changed: (stream: MediaStream) => void;
  stop: () => void;
}

/** Microphones, speakers and the ring device of a phone. */
export class AudioDevices extends Emitter<DeviceEvents> {
  #options: AudioOptions;
  readonly #microphones = new Map<object, Use>();
  readonly #speakers = new Map<object, HTMLAudioElement>();
  readonly #listChanged = (): void => this.emit('changed', undefined);

  constructor(options: AudioOptions = {}) {
    super();
    this.#options = options;
    navigator.mediaDevices?.addEventListener('devicechange', this.#listChanged);
  }

  /** The devices of a kind; their names are empty until the user has allowed the microphone. */
  async list(kind: Exclude<DeviceKind, 'ring'>): Promise<readonly MediaDeviceInfo[]> {
    return (await navigator.mediaDevices.enumerateDevices()).filter((each) => each.kind === kind);
  }

  /** Uses a device from now on, in live calls as well. */
  async use(kind: DeviceKind, id: string): Promise<void> {
    const name = ({ audioinput: 'microphone', audiooutput: 'speaker', ring: 'ringDevice' } as const)[kind];
    this.#options = { ...this.#options, [name]: id };
    if (kind === 'audiooutput')
      await Promise.all([...this.#speakers.values()].map((element) => element.setSinkId(id)));
    if (kind !== 'audioinput') return;
    for (const [owner, use] of this.#microphones) {
      const { stream, stop } = await this.#microphone();
      // The owner may have given its microphone back while the browser opened this one.
      if (this.#microphones.has(owner)) {
        use.stop();
        use.stop = stop;
        use.changed(stream);
      } else stop();
    }
  }

  /** Reports the level of the microphone, 0 to 1, ten times a second; the returned function ends that. */
  async watchLevel(listener: (level: number) => void): Promise<() => void> {
    const { stream, stop } = await this.#microphone();
    const { watchLevel } = await import('./device-test.ts');
    const end = watchLevel(stream, listener);
    return () => {
      end();
      stop();
    };
  }

  /** Plays a tone of one second on the speaker. */
  async test(): Promise<void> {
    const { openTone } = await import('./device-test.ts');
    const { stream, ended } = openTone();
    this.play(stream, stream, () => undefined);
    await ended;
    this.close(stream);
  }

  /** Plays again what the browser has blocked; to be called from a click. */
  async unlock(): Promise<void> {
    await Promise.all([...this.#speakers.values()].map((element) => element.play()));
  }

  /** Ends the watch of the list of devices. */
  end(): void {
    navigator.mediaDevices?.removeEventListener('devicechange', this.#listChanged);
  }

  /** The microphone for an owner, such as a call; `changed` gets the stream of another device later. */
  async openMicrophone(owner: object, changed: (stream: MediaStream) => void): Promise<MediaStream> {
    const { stream, stop } = await this.#microphone();
    this.#microphones.set(owner, { changed, stop });
    return stream;
  }

  /** Plays the stream of an owner. */
  play(owner: object, stream: MediaStream, blocked: () => void): void {
    const { speaker, sink } = this.#options;
    if (sink) {
      sink(stream);
      return;
    }
    const element = this.#speakers.get(owner) ?? this.#element(speaker);
    // A call that resumes has the track that it had before, and its element goes on playing that.
    element.srcObject ??= stream;
    this.#speakers.set(owner, element);
    element.play().catch(blocked);
  }

  /** Gives back the microphone and the speaker of an owner. */
  close(owner: object): void {
    this.#microphones.get(owner)?.stop();
    this.#microphones.delete(owner);
    const element = this.#speakers.get(owner);
    if (element) element.srcObject = null;
    this.#speakers.delete(owner);
  }

  /** Rings until the returned function is called. */
  ring(): () => void {
    const { ringtone, ringDevice } = this.#options;
    if (ringtone === undefined) return () => undefined;
    const element = this.#element(ringDevice);
    element.src = ringtone;
    element.loop = true;
    element.play().catch(() => undefined);
    return () => element.pause();
  }

  #element(device: string | undefined): HTMLAudioElement {
    const element = new Audio();
    if (device !== undefined) void element.setSinkId(device).catch(() => undefined);
    return element;
  }

  async #microphone(): Promise<{ stream: MediaStream; stop: () => void }> {
    const { source, microphone, constraints, processors = [] } = this.#options;
    const raw = await (typeof source === 'string'
      ? import('./device-test.ts').then(({ soundOf }) => soundOf(source))
      : (source?.clone() ??
        navigator.mediaDevices.getUserMedia({
          audio: { ...constraints, ...(microphone === undefined ? {} : { deviceId: { exact: microphone } }) },
        })));
    for (const track of raw.getTracks()) track.onended = () => this.emit('microphone-ended', undefined);
    let stream = raw;
    for (const processor of processors) stream = await processor(stream);
    const stop = (): void => {
      for (const each of [raw, stream]) for (const track of each.getTracks()) track.stop();
    };
    return { stream, stop };
  }
}
