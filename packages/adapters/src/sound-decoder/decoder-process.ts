import { fork } from 'node:child_process';
import type { DecodeOrder, DecodeReport } from './protocol.ts';

/** A process that decodes. */
export interface DecoderProcess {
  readonly pid: number | undefined;
  /** Sends the file in pieces, each after the previous one was accepted. */
  decode(job: number, file: Uint8Array, seconds: number): void;
  /** Whether the decoder keeps this process alive. */
  hold(isHeld: boolean): void;
  /** Kills it; it reports nothing more. Resolves when the process has ended. */
  end(): Promise<void>;
}

export interface DecoderProcessOptions {
  readonly program: URL;
  /** Clips of higher rates are converted to this rate. */
  readonly maxSampleRate: number;
  readonly reported: (report: DecodeReport) => void;
  /** The process ended without a request. */
  readonly lost: () => void;
}

/** 64 KB: the most that one write to the channel accepts without a wait. */
const pieceBytes = 65_536;

export function startDecoderProcess(options: DecoderProcessOptions): DecoderProcess {
  const { program, maxSampleRate, reported, lost } = options;
  const child = fork(program, [String(maxSampleRate)], {
    // The process needs no environment and no terminal. A small heap is collected often.
    env: {},
    execArgv: ['--max-old-space-size=128', '--max-semi-space-size=1'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  let isOver = false;
  const gone = new Promise<void>((resolve) => {
    const over = (): void => {
      resolve();
      if (isOver) return;
      isOver = true;
      lost();
    };
    child.on('exit', over);
    child.on('error', over);
  });
  child.on('message', (report) => {
    if (!isOver) reported(report as DecodeReport);
  });

  const send = (order: DecodeOrder, then: () => void): void => {
    if (isOver) return;
    child.send(order, (error) => {
      // Any failure of the channel also ends the process.
      if (error === null) then();
      else child.kill('SIGKILL');
    });
  };

  return {
    get pid() {
      return child.pid;
    },
    decode(job, file, seconds) {
      const piece = (at: number): void => {
        if (at >= file.length) return;
        const bytes = file.subarray(at, at + pieceBytes);
        send({ type: 'piece', job, bytes }, () => piece(at + pieceBytes));
      };
      send({ type: 'decode', job, bytes: file.length, seconds }, () => piece(0));
    },
    hold(isHeld) {
      if (isHeld) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
    end() {
      isOver = true;
      child.kill('SIGKILL');
      return gone;
    },
  };
}
