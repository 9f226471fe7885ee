import type { MessagePort } from 'node:worker_threads';
import type { TakeCaptured } from '../capture/capture.ts';
import { type CaptureMessage, type CaptureReceiver, receiverOf } from '../capture/capture-message.ts';
import type { AgreedKeys, AgreedMedia, MediaNotice, MixCommand, SoundClip } from '../engine/commands.ts';
import type { MovedNames } from '../engine/moves.ts';
import type { IceCredentials } from '../ice/ice-agent.ts';
import type { MovedLegs } from './host-moves.ts';
import type { MediaHost } from './media-host.ts';

/** Messages to a media thread. Requests with an `id` are answered with the same `id`. */
export type ToMediaThread =
  | { readonly type: 'apply'; readonly command: MixCommand }
  | { readonly type: 'connect'; readonly leg: string; readonly agreed: AgreedMedia }
  | { readonly type: 'secure'; readonly leg: string; readonly keys: AgreedKeys }
  | { readonly type: 'drop-clip'; readonly name: string }
  | { readonly type: 'reset-stats' }
  | { readonly type: 'free-port'; readonly port: number }
  /** Sets the port for captures of one receiver; `port` is transferred. */
  | { readonly type: 'take-captures'; readonly receiver: CaptureReceiver; readonly port: MessagePort }
  | ({ readonly type: 'ask'; readonly id: number } & MediaQuestion);

/** Requests with an answer. */
export type MediaQuestion =
  | { readonly about: 'open'; readonly leg: string; readonly ice?: IceCredentials }
  | { readonly about: 'close'; readonly leg: string }
  | { readonly about: 'measure'; readonly legs: readonly string[] }
  | { readonly about: 'release'; readonly names: MovedNames }
  | { readonly about: 'adopt'; readonly moved: MovedLegs }
  | { readonly about: 'load-clip'; readonly name: string; readonly clip: SoundClip }
  | {
      readonly about: 'grow-clip';
      readonly name: string;
      readonly piece: SoundClip;
      readonly isLast: boolean;
    }
  | { readonly about: 'census' }
  | { readonly about: 'stats' }
  | { readonly about: 'close-all' };

/** Messages from a media thread, which posts those of one turn of its event loop as one array. */
export type FromMediaThread =
  /** `pollDescriptor`: see LegSockets. */
  | { readonly type: 'ready'; readonly pollDescriptor?: number }
  | { readonly type: 'notices'; readonly notices: readonly MediaNotice[] }
  /** See `MediaHostOptions.secured`. */
  | { readonly type: 'secured'; readonly leg: string; readonly keys: AgreedKeys }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string; readonly code?: string };

/**
 * Serves a host to the thread at the other end of `port`, with messages in batches and in order. `createHost` receives
 * the callbacks for notices, captures and keys.
 */
export function serveMediaThread(
  port: MessagePort,
  createHost: (
    notify: (notices: readonly MediaNotice[]) => void,
    captured: TakeCaptured,
    secured: (leg: string, keys: AgreedKeys) => void,
  ) => MediaHost,
): void {
  /** Captures are dropped before there is a port for them and after it closes. */
  const capturePorts: { [Receiver in CaptureReceiver]?: MessagePort | undefined } = {};
  let unsent: FromMediaThread[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    port.postMessage(messages);
  };
  // After the microtasks of the turn, in which requests are answered, and before the thread blocks until its next tick.
  const send = (message: FromMediaThread): void => {
    if (unsent.push(message) === 1) process.nextTick(flush);
  };
  const pass = (message: CaptureMessage, transfer: ArrayBuffer[]): void =>
    capturePorts[receiverOf(message.capture)]?.postMessage(message, transfer);
  /** Samples of loaded clips, freed explicitly: this thread seldom allocates, so garbage collection may come hours later. */
  const owned = new Map<string, Int16Array>();
  const free = (samples: Int16Array | undefined): void => {
    (samples?.buffer as ArrayBuffer | undefined)?.transfer(0);
  };
  const load = async (name: string, clip: SoundClip): Promise<void> => {
    const before = owned.get(name);
    owned.set(name, clip.samples);
    try {
      await host.loadClip(name, clip);
      free(before);
    } catch (error) {
      free(clip.samples);
      if (before === undefined) owned.delete(name);
      else owned.set(name, before);
      throw error;
    }
  };
  const drop = (name: string): void => {
    host.dropClip(name);
    free(owned.get(name));
    owned.delete(name);
  };
  const host = createHost(
    (notices) => send({ type: 'notices', notices }),
    (capture, tracks, samples, isLast, sampleRate) => {
      if (samples.length > 0) {
        const audio = { type: 'audio', capture, tracks, sampleRate, samples } as const;
        pass(audio, [samples.buffer]);
      }
      if (isLast) pass({ type: 'ended', capture }, []);
    },
    (leg, keys) => send({ type: 'secured', leg, keys }),
  );
  const take = (message: ToMediaThread) => {
    switch (message.type) {
      case 'apply':
        return host.apply(message.command);
      case 'connect':
        return host.connect(message.leg, message.agreed);
      case 'secure':
        return host.secure(message.leg, message.keys);
      case 'drop-clip':
        return drop(message.name);
      case 'reset-stats':
        return host.resetStats();
      case 'free-port':
        return host.freePort(message.port);
      case 'take-captures': {
        const { receiver, port: opened } = message;
        capturePorts[receiver]?.close();
        capturePorts[receiver] = opened;
        opened.on('close', () => {
          if (capturePorts[receiver] === opened) capturePorts[receiver] = undefined;
        });
        return;
      }
      case 'ask':
        answer(host, load, message).then(
          (value) => send({ type: 'answer', id: message.id, value }),
          (error: unknown) => send(refusal(message.id, error)),
        );
    }
  };
  port.on('message', (messages: readonly ToMediaThread[]) => {
    for (const message of messages) take(message);
  });
  const { pollDescriptor } = host;
  send(pollDescriptor === undefined ? { type: 'ready' } : { type: 'ready', pollDescriptor });
}

async function answer(
  host: MediaHost,
  load: MediaHost['loadClip'],
  question: MediaQuestion,
): Promise<unknown> {
  switch (question.about) {
    case 'open':
      return host.open(question.leg, question.ice);
    case 'close':
      return host.close(question.leg);
    case 'measure':
      return host.measure(question.legs);
    case 'release':
      return host.release(question.names);
    case 'adopt':
      return host.adopt(question.moved);
    case 'load-clip':
      return load(question.name, question.clip);
    case 'grow-clip':
      return host.growClip(question.name, question.piece, question.isLast);
    case 'census':
      return host.census();
    case 'stats':
      return host.stats();
    case 'close-all':
      return host.closeAll();
  }
}

function refusal(id: number, error: unknown): FromMediaThread {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? { type: 'refusal', id, message } : { type: 'refusal', id, message, code };
}
