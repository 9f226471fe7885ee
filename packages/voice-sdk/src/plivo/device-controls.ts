import type { AudioDevices, DeviceKind } from '../browser/audio-devices.ts';
import type { Tones } from './tones.ts';

/** Chooses one device, as the hosted SDK does. */
export interface DeviceControl {
  /** Empty for the default device. */
  set(id: string): boolean;
  get(): string;
  reset(): boolean;
}

/** The hosted SDK's `client.audio`. */
export interface DeviceControls {
  readonly microphoneDevices: DeviceControl;
  readonly speakerDevices: DeviceControl;
  readonly ringtoneDevices: DeviceControl;
  availableDevices(filter?: '' | 'input' | 'output'): Promise<readonly MediaDeviceInfo[]>;
  /** Asks for the microphone, so that devices have names. */
  revealAudioDevices(arg?: 'returnStream'): Promise<'success' | MediaStream>;
}

/** Creates the controls; `devices` are those of the phone that has logged in. */
export function createDeviceControls(devices: () => AudioDevices | undefined, tones: Tones): DeviceControls {
  function control(kind: DeviceKind): DeviceControl {
    let current = '';
    const set = (id: string): boolean => {
      current = id;
      if (kind === 'ring') tones.ringDevice = id;
      else void devices()?.use(kind, id);
      return true;
    };
    return { set, get: () => current, reset: () => set('') };
  }
  return {
    microphoneDevices: control('audioinput'),
    speakerDevices: control('audiooutput'),
    ringtoneDevices: control('ring'),
    async availableDevices(filter = '') {
      const all = await navigator.mediaDevices.enumerateDevices();
      return all.filter(({ kind }) => kind.startsWith('audio') && kind.endsWith(filter));
    },
    async revealAudioDevices(arg) {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      if (arg === 'returnStream') return stream;
      for (const track of stream.getTracks()) track.stop();
      return 'success';
    },
  };
}
