#!/usr/bin/env node
import './node-version.ts';
import { buildProgram } from './command-line/build-program.ts';

await buildProgram().parseAsync();
