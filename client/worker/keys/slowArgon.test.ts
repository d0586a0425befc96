import { hashRaw } from '@node-rs/argon2'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PASSWORD_KDF } from '../../../contract/account/password.ts'
import { type Stretch, type Stretched, stretchHere } from './nobleArgon.ts'
import { argonOf } from './password.ts'
import { slowVerbs } from './slowArgon.ts'

const SALT = Uint8Array.from({ length: 32 }, (_, at) => at)

let workers: StretchingWorker[] = []
/** What the worker below does with its work. */
let works: (work: Stretch, tell: (told: Stretched) => void) => void = stretchHere

/** A worker of the worker. It answers in tasks of its own, as a browser's does. */
class StretchingWorker {
  isEnded = false
  onmessage?: (message: { data: Stretched }) => void
  onerror?: () => void
  constructor() {
    workers.push(this)
  }
  tell(data: Stretched): void {
    setTimeout(() => this.isEnded || this.onmessage?.({ data }))
  }
  postMessage(work: Stretch): void {
    works(work, (told) => this.tell(told))
  }
  terminate(): void {
    this.isEnded = true
  }
}

beforeEach(() => {
  workers = []
  works = stretchHere
  vi.stubGlobal('WebAssembly', undefined)
  vi.stubGlobal('Worker', StretchingWorker)
})
afterEach(() => void vi.unstubAllGlobals())

test('A browser without WebAssembly makes the same bytes of a password, by the same parameters', async () => {
  const native = await hashRaw('corréct hórse fi 🐴', {
    algorithm: 2, // Argon2id
    memoryCost: PASSWORD_KDF.memoryKiB,
    timeCost: PASSWORD_KDF.passes,
    parallelism: PASSWORD_KDF.lanes,
    outputLen: PASSWORD_KDF.bytes,
    salt: SALT,
  })
  expect(Buffer.from(await argonOf('corréct hórse ﬁ 🐴', SALT))).toEqual(native)
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true])
})

test('How far it is tells the share that is done, and nothing before and afterwards', async () => {
  works = () => undefined
  expect(await slowVerbs.share()).toBeNull()
  const stretching = argonOf('words', SALT)
  await vi.waitFor(async () => expect(await slowVerbs.share()).toBe(0))
  workers[0]?.tell({ share: 0.25 })
  await vi.waitFor(async () => expect(await slowVerbs.share()).toBe(0.25))
  workers[0]?.tell({ bytes: SALT, ms: 1 })
  await stretching
  expect(await slowVerbs.share()).toBeNull()
})

test('The shares that are told rise to the end, at most some hundred of them', () => {
  const told: Stretched[] = []
  const work = { password: SALT, salt: SALT, memorySize: 1024, iterations: 3, parallelism: 1, hashLength: 32 } as const
  stretchHere({ ...work, outputType: 'binary' }, (one) => told.push(one))
  const shares = told.flatMap((one) => ('share' in one ? [one.share] : []))
  expect(shares).toEqual([...shares].sort((one, other) => one - other))
  expect(shares.length).toBeGreaterThan(100)
  expect(shares.length).toBeLessThan(500)
  expect(told.at(-1)).toHaveProperty('bytes')
})

test('Stopped, it ends at once with its worker, says so, and the next one begins anew', async () => {
  works = () => undefined
  const stretching = argonOf('words', SALT)
  await vi.waitFor(() => expect(workers).toHaveLength(1))
  await slowVerbs.stop()
  await expect(stretching).rejects.toMatchObject({ name: 'CryptoFailure', code: 'stopped' })
  expect([workers[0]?.isEnded, await slowVerbs.share()]).toEqual([true, null])
  works = (_, tell) => tell({ bytes: SALT, ms: 1 })
  expect(await argonOf('words', SALT)).toEqual(SALT)
})

test('A worker that does not load is a part that was not loaded', async () => {
  works = () => setTimeout(() => workers[0]?.onerror?.())
  await expect(argonOf('words', SALT)).rejects.toMatchObject({ code: 'not_loaded' })
})

test('How long a password takes is estimated by a piece of the work, and is no stretching that is shown', async () => {
  works = (work, tell) => {
    expect(work).toMatchObject({ memorySize: 2048, iterations: 1 })
    tell({ bytes: SALT, ms: 500 })
  }
  const seconds = slowVerbs.seconds()
  expect(await slowVerbs.share()).toBeNull()
  expect(await seconds).toBe(48)
})
