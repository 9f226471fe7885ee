import type { MessagePort } from 'node:worker_threads';
import type { CaptureMessage } from '@jackfield/media';
import type { MixCommand } from '@jackfield/ports';
import type { CaptureSource } from '../recorder.ts';
import { tones } from './tones.ts';

/** Stands where the media thread does: what a test says goes into the captures port. */
export interface ToneSource extends CaptureSource {
  readonly commands: readonly MixCommand[];
  /** Audio of 20 ms portions, one tone for each track, going on where the last call ended. */
  say(capture: string, hz: readonly number[], ms: number, sampleRate?: number): void;
  /** Ports that were given, the last one in use. */
  readonly ports: number;
  /** Keeps `end-capture` unanswered, as a media thread that hangs does. */
  isDeaf: boolean;
  /** Posts something that no media thread would. */
  confuse(): void;
  close(): void;
}

export function createToneSource(): ToneSource {
  const commands: MixCommand[] = [];
  const said = new Map<string, number>();
  let port: MessagePort | undefined;
  let ports = 0;
  const post = (message: CaptureMessage): void => port?.postMessage(message);
  const source: ToneSource = {
    commands,
    isDeaf: false,
    get ports() {
      return ports;
    },
    send(command) {
      commands.push(command);
      if (command.do === 'end-capture' && !source.isDeaf) post({ type: 'ended', capture: command.capture });
    },
    sendCapturesTo(given) {
      port?.close();
      port = given as MessagePort;
      ports++;
    },
    say(capture, hz, ms, sampleRate = 8000) {
      const length = sampleRate / 50;
      for (let portion = 0; portion < ms / 20; portion++) {
        const from = said.get(capture) ?? 0;
        said.set(capture, from + length);
        const samples = tones(hz, from, length, sampleRate);
        post({ type: 'audio', capture, tracks: hz.length, sampleRate, samples });
      }
    },
    confuse: () => port?.postMessage(null),
    close: () => port?.close(),
  };
  return source;
}
