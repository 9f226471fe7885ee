import {
  type MachineDetectionBody,
  machineDetectionTimes,
  readInteger,
  readRequest,
} from '@jackfield/contract';
import type { MachineDetection } from '@jackfield/ports';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';

/** The requested detection of a validated body; null for none. */
export function readMachineDetection(body: MachineDetectionBody): Result<MachineDetection | null> {
  const { machine_detection_url: url, machine_detection_method: method } = body;
  const mode = String(body.machine_detection ?? false).toLowerCase();
  const isWrong = url !== undefined && !URL.canParse(url);
  if (isWrong) return refused(invalidParameter('machine_detection_url', url, urlAllowed));
  if (mode === 'false') {
    return url === undefined
      ? accepted(null)
      : refused(invalidParameter('machine_detection_url', url, needed));
  }
  return accepted({
    hangsUp: mode === 'hangup',
    timeMs: readInteger(body.machine_detection_time) ?? machineDetectionTimes.default,
    callback: readRequest(url, method),
  });
}

const urlAllowed = 'a URL that starts with http:// or https://, of at most 2048 characters';
const needed = 'left out where machine_detection is neither true nor hangup';
