export {
  createSandboxMessages,
  type SandboxMessagesDeps,
} from './sandbox-messages.ts';
