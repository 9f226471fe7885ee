export {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxCallsFeature,
  type SandboxNetwork,
} from './sandbox-calls.ts';
