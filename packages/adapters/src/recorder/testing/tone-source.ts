import type { MessagePort } from 'node:worker_threads';
import type { CaptureMessage } from '@jackfield/media';
import type { MixCommand } from '@jackfield/ports';
import type { CaptureSource } from '../recorder.ts';
import { tones } from './tones.ts';

/** Replaces the media thread: sends the test's audio into the captures port. */
export interface ToneSource extends CaptureSource {
  readonly commands: readonly MixCommand[];
  /** Sends audio in 20 ms portions, one tone for each track, continuing the last call. */
  say(capture: string, hz: readonly number[], ms: number, sampleRate?: number): void;
  /** Number of ports so far; the last one is in use. */
  readonly ports: number;
  /** Leaves `end-capture` unanswered, as a hanging media thread does. */
  isDeaf: boolean;
  /** Posts a message that no media thread would send. */
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
    sendCapturesTo(openPort) {
      port?.close();
      port = openPort();
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
