import { endRun } from './run.ts'

// A process that watches a run of tests. The pipe from the run closes when the run ends, also when it is killed.
const [folder = ''] = process.argv.slice(2)
process.stdin.resume()
process.stdin.once('close', () => void endRun(folder))
