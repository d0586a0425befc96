import { endRun } from './run.ts'

// A process of its own beside a run of tests. The pipe from the run closes when the run is gone, also when it was killed.
const [folder = ''] = process.argv.slice(2)
process.stdin.resume()
process.stdin.once('close', () => void endRun(folder))
