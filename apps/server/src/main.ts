#!/usr/bin/env node
import './node-version.ts';
import { buildProgram } from './command-line/build-program.ts';
import { watchOutputs } from './command-line/outputs.ts';

watchOutputs();
await buildProgram().parseAsync();
