import { FrameResampler, Utterances } from '@jackfield/media';
import { engineSampleRate } from '@jackfield/ports';
import { servePart } from '../part.ts';
import { type JudgedCode, judgeCodes } from '../spoken-codes/judge.ts';

export type { JudgedCode };

servePart({
  judge: (count: number): Promise<readonly JudgedCode[]> => judgeCodes(count),

  /** CPU time of the process of the platform for a second of a caller at 8 kHz: conversion and cutting into utterances, in ms. */
  async cpuOfSecond(): Promise<number> {
    const seconds = 300;
    const [frame, converted] = [new Int16Array(160), new Int16Array(320)];
    const resampler = new FrameResampler(frame.length, converted.length);
    const utterances = new Utterances({
      sampleRate: engineSampleRate,
      silenceMs: 500,
      mostMs: 30_000,
      leadMs: 300,
      take() {},
    });
    const before = process.cpuUsage();
    for (let n = 0; n < seconds * 50; n++) {
      // Two seconds of a varying sound, and one of silence.
      const amplitude = n % 150 < 100 ? 8_000 : 0;
      for (let at = 0; at < frame.length; at++) {
        const time = n * frame.length + at;
        frame[at] = amplitude * Math.sin(time / 3) * Math.sin(time / 400);
      }
      resampler.convert(frame, converted);
      utterances.write(converted);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / seconds;
  },
});
