// Writes knn_answers.json: what knn-classifier of TensorFlow.js answers, call by call, and a file
// as KNNClassifier.save of ml5.js 0.12 writes it.
// Run it in a folder with @tensorflow-models/knn-classifier 1.2.5, @tensorflow/tfjs-core and
// @tensorflow/tfjs-backend-cpu 4.22.0 in node_modules: node <this file> > knn_answers.json
import {createRequire} from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const tf = require('@tensorflow/tfjs-core');
require('@tensorflow/tfjs-backend-cpu');
const knn = require('@tensorflow-models/knn-classifier');

let state = 12345;
const next = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
const features = size => Array.from({length: size}, () => Math.fround(4 * next() - 2));
const near = center => center.map(value => Math.fround(value + next() - 0.5));

// Calls with their arguments; answers are added to those that have one.
async function run(calls) {
  const classifier = knn.create();
  const done = [];
  for (const [call, ...given] of calls) {
    const entry = {call, given};
    if (call == 'add') classifier.addExample(tf.tensor(given[0]), given[1]);
    if (call == 'clear') classifier.clearClass(given[0]);
    if (call == 'clear_all') classifier.clearAllClasses();
    if (call == 'predict') {
      const {label, classIndex, confidences} = await classifier.predictClass(
          tf.tensor(given[0]), given[1]);
      entry.answer = {label, class_index: classIndex, confidences: Object.entries(confidences)};
    }
    if (call == 'counts') entry.answer = Object.entries(classifier.getClassExampleCount());
    if (call == 'classes') entry.answer = classifier.getNumClasses();
    if (call == 'dataset') {
      entry.answer = Object.entries(classifier.getClassifierDataset())
          .map(([label, tensor]) => [label, tensor.arraySync()]);
    }
    done.push(entry);
  }
  return {calls: done, classifier};
}

const centers = [features(7), features(7), features(7)];
const clusters = labels => [
  ...Array.from({length: 15}, (_, i) => ['add', near(centers[i % 3]), labels[i % 3]]),
  ['counts'], ['classes'], ['dataset'],
  ...[1, 2, 3, 5, 15, 40].flatMap(k => [
    ...centers.map(center => ['predict', near(center), k]), ['predict', features(7), k]]),
];
const tie = [1, 2, 2];
const ties = labels => [
  ...labels.map(label => ['add', tie, label]), ...labels.map(label => ['add', tie, label]),
  ['add', [1, 0, 0], labels[0]], ['add', [1, 0, 0], labels[0]],
  ...[1, 2, 3, 4, 5, 6, 8].map(k => ['predict', tie, k]), ['predict', [3, 0, 0], 4], ['counts'],
];
const scenarios = {
  clusters: clusters(['cup', 'pen', 'key']),
  shapes: [
    ['add', [[1, 2], [3, 4]], 'a'], ['add', [[-1, 2], [3, -4]], 'b'],
    ['predict', [[1, 2], [3, 5]], 1], ['predict', [[1, 2], [3, 5]], 2], ['dataset'],
  ],
  ties: ties(['pen', 'cup', 'key']),
  ties_of_integers: ties([10, 9, 2]),
  ties_of_mixed_labels: ties(['pen', 7, '3', -1, '007']),
  cleared: [
    ['add', tie, 'a'], ['add', tie, 'b'], ['add', [2, 1, 0], 'c'], ['clear', 'a'], ['counts'],
    ['predict', tie, 2], ['add', tie, 'a'], ['counts'], ['predict', tie, 1], ['predict', tie, 2],
    ['add', tie, 'd'], ['predict', tie, 3], ['predict', [2, 1, 0], 1], ['clear_all'], ['classes'],
    ['add', tie, 'd'], ['predict', tie, 3],
  ],
};

const written = {};
for (const [name, calls] of Object.entries(scenarios)) written[name] = (await run(calls)).calls;

// ml5.js gives its classes the numbers 0, 1, ... as labels, and adds its own labels when it saves.
const names = ['cup', 'pen', 'key'];
const {classifier} = await run(clusters([0, 1, 2]));
const dataset = classifier.getClassifierDataset();
for (const key of Object.keys(dataset)) dataset[key].label = names[key];
const tensors = Object.keys(dataset).map(key => dataset[key].dataSync());
const probes = [...centers, ...centers.map(near)];
const answers = [];
for (const probe of probes) {
  answers.push(names[(await classifier.predictClass(tf.tensor(probe), 3)).classIndex]);
}
const ml5 = {file: JSON.stringify({dataset, tensors}), probes, answers};
console.log(JSON.stringify({scenarios: written, ml5}));
