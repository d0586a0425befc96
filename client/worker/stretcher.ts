import { stretchHere } from './keys/nobleArgon.ts'
import type { Stretch } from './keys/slowArgon.ts'

// A worker of the worker, for browsers without WebAssembly.
self.onmessage = ({ data }: MessageEvent<Stretch>) => stretchHere(data, (told) => self.postMessage(told))
