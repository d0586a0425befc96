import { type Stretch, stretchHere } from './nobleArgon.ts'

// The worker starts this worker where there is no WebAssembly.
self.onmessage = ({ data }: MessageEvent<Stretch>) => stretchHere(data, (told) => self.postMessage(told))
