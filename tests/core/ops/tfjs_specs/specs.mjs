// Runs the specs with jasmine on one backend and writes what came of each to a JSON file:
//   node BUNDLE python|cpu REPORT FILTER REQUESTS ANSWERS
// FILTER is a regular expression for "file: name"; the last two are file descriptors of pipes.
import * as fs from 'node:fs';
import jasmineCore from 'jasmine-core';
import seedrandom from 'seedrandom';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import {setTestEnvs} from '@tensorflow/tfjs-core/dist/jasmine_util';
import {registerPython} from './kernels.mjs';
import {SPEC_FILES} from './spec_files.mjs';

const [who, reportPath, filter, requests, answers] = process.argv.slice(2);
let kernels = new Set();  // those that the running spec called, the last one last
const called = (kernel) => {
  kernels.delete(kernel);
  kernels.add(kernel);
};

// TensorFlow.js's own cpu backend, its kernels reporting their calls as well.
function registerCpu() {
  require('@tensorflow/tfjs-backend-cpu');
  for (const {kernelName, backendName, kernelFunc} of tf.getKernelsForBackend('cpu')) {
    tf.unregisterKernel(kernelName, backendName);
    const heard = (call) => (called(kernelName), kernelFunc(call));
    tf.registerKernel({kernelName, backendName, kernelFunc: heard});
  }
}

// Load every spec file; gives the file of each spec's id.
function loadSpecs() {
  const files = new Map();
  const define = globalThis.it;
  for (const [file, load] of SPEC_FILES) {
    globalThis.it = (...args) => {
      const spec = define(...args);
      files.set(spec.id, file);
      return spec;
    };
    load();
  }
  return files;
}

async function main() {
  if (who === 'python') registerPython(Number(requests), Number(answers), called);
  else registerCpu();
  const jasmine = jasmineCore.boot(jasmineCore);
  jasmine.DEFAULT_TIMEOUT_INTERVAL = 60000;
  setTestEnvs([{name: 'backend', backendName: 'cpu', isDataSync: true}]);
  const files = loadSpecs();
  const results = [];
  const wanted = new RegExp(filter);
  jasmine.getEnv().configure({
    random: false,
    specFilter: (spec) => wanted.test(`${files.get(spec.id)}: ${spec.getFullName()}`),
  });
  jasmine.getEnv().addReporter({
    specStarted() {
      seedrandom('the same for every spec', {global: true});
      kernels = new Set();
    },
    specDone({id, fullName: name, status, failedExpectations}) {
      if (status === 'excluded' || status === 'pending') return;
      const messages = failedExpectations.map((f) => f.message);
      results.push({file: files.get(id), name, status, messages, kernels: [...kernels]});
    },
  });
  await jasmine.getEnv().execute();
  fs.writeFileSync(reportPath, JSON.stringify(results));
  process.exit(0);
}

main();
