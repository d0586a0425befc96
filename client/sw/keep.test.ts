import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { RELEASE_ADDRESS } from '../../contract/site/addresses.ts'
import { type Build, contentOf } from '../../contract/site/build.ts'
import { newSigner, type Signer } from '../../scripts/signing.ts'
import { BUILD_CACHE, keptBuilds } from '../net/keptBuilds.ts'
import { readSeen, type Seen } from '../net/seen.ts'
import { NOTHING_SEEN } from './builds.ts'
import {
  askAsset,
  assetOf,
  clearFormer,
  clearOut,
  fetchChecked,
  fileOf,
  goBackTo,
  namedFile,
  type Shelf,
  standingOf,
  startedBuild,
  takeAnyway,
  takeOffered,
} from './keep.ts'
import { makeLooks } from './looks.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Cache Storage in memory. */
class TestCaches {
  readonly all = new Map<string, Map<string, Response>>()
  /** Bytes that still fit. */
  left = Number.POSITIVE_INFINITY
  keys = async () => [...this.all.keys()]
  delete = async (name: string) => this.all.delete(name)
  match = async (address: string) => [...this.all.values()].map((one) => one.get(address)?.clone()).find(Boolean)
  open = async (name: string) => {
    const rows = this.all.get(name) ?? new Map<string, Response>()
    this.all.set(name, rows)
    return {
      match: async (address: string) => rows.get(address)?.clone(),
      keys: async () => [...rows.keys()].map((address) => ({ url: `https://chat.example${address}` })),
      put: async (address: string, response: Response) => {
        this.left -= (await response.clone().arrayBuffer()).byteLength
        if (this.left < 0) throw Object.assign(new Error('The disk is full'), { name: 'QuotaExceededError' })
        rows.set(address, response)
      },
    }
  }
}

/** What the server answers, by address. */
let server: Map<string, string>
let asked: string[]
let caches: TestCaches
let shelf: Shelf
let seen: Seen
let now: number

beforeEach(() => {
  server = new Map()
  asked = []
  now = 0
  seen = NOTHING_SEEN
  caches = new TestCaches()
  shelf = {
    caches: caches as unknown as CacheStorage,
    memory: {
      read: async () => seen,
      write: async (next) => {
        seen = next
      },
    },
    clock: () => ++now,
    fetch: async (address) => {
      asked.push(address)
      const text = server.get(address)
      if (server.size === 0) throw new TypeError('Failed to fetch')
      const headers = { 'content-security-policy': "default-src 'none'", vary: 'accept-encoding', 'content-encoding': 'br' }
      return text === undefined ? new Response('', { status: 404 }) : new Response(text, { headers })
    },
  }
})

/** The server is updated to a version with these files, which the operator signs with a key, or nobody. */
function updates(version: string, files: Record<string, string>, signer?: Signer, contract = 4): Build {
  const hashes = Object.fromEntries(Object.entries(files).map(([address, text]) => [address, sha256(text)]))
  const content = { version, contract, worker: sha256('worker'), files: hashes }
  const build: Build = { id: sha256(contentOf(content)), ...content }
  server = new Map([...Object.entries(files), ['/build.json', JSON.stringify(build)]])
  if (signer) server.set(RELEASE_ADDRESS, JSON.stringify(signer.sign(build.id)))
  return build
}

const looks = async () => (await takeOffered(shelf)).outcome

const one = { '/': '<script src=/assets/a-1.js>', '/assets/a-1.js': 'first', '/assets/lib-1.js': 'library' }
const two = { '/': '<script src=/assets/a-2.js>', '/assets/a-2.js': 'second', '/assets/lib-1.js': 'library' }
const startsFrom = async () => (await startedBuild(shelf))?.id
const text = async (response: Response | undefined) => await response?.text()

test('A build is started from when every file of it is here and is what the build says, with its policy', async () => {
  const build = updates('1.0.0', one)
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(build.id)
  const page = await fileOf(shelf, build, '/')
  expect(await text(page?.clone())).toBe(one['/'])
  expect(page?.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(page?.headers.get('vary')).toBeNull()
  expect(page?.headers.get('content-encoding')).toBeNull()
  expect(await looks()).toBe('current')
})

test('A new version lies beside the old one, of which an open tab still loads parts; those of long ago go', async () => {
  const first = updates('1.0.0', one)
  await takeOffered(shelf)
  const second = updates('1.1.0', two)
  asked = []
  expect(await looks()).toBe('taken')
  // What both have is not fetched twice.
  expect(asked.sort()).toEqual(['/', RELEASE_ADDRESS, '/assets/a-2.js', '/build.json'])
  expect(await startsFrom()).toBe(second.id)
  await clearOut(shelf, true)
  expect(await text(await assetOf(shelf, '/assets/a-1.js'))).toBe('first')
  expect(await text(await assetOf(shelf, '/assets/a-2.js'))).toBe('second')
  expect(await text(await fileOf(shelf, second, '/'))).toBe(two['/'])
  for (const version of ['1.2.0', '1.3.0']) {
    updates(version, { ...two, '/': version })
    await takeOffered(shelf)
    await clearOut(shelf, true)
  }
  expect((await keptBuilds(shelf.caches)).map(({ version }) => version)).toEqual(['1.1.0', '1.2.0', '1.3.0'])
  expect(await fileOf(shelf, first, '/')).toBeUndefined()
})

test('One byte of a file is another: that build is not started, and the last good one goes on', async () => {
  const first = updates('1.0.0', one)
  await takeOffered(shelf)
  updates('1.1.0', two)
  server.set('/assets/a-2.js', 'secund')
  expect(await looks()).toBe('broken')
  expect(await startsFrom()).toBe(first.id)
})

test('An update that is broken off is no build; the next attempt takes what is missing, and what is half a file anew', async () => {
  const build = updates('1.0.0', one)
  server.delete('/assets/lib-1.js')
  expect(await looks()).toBe('broken')
  expect(await startsFrom()).toBeUndefined()
  await clearOut(shelf, false)
  const half = await caches.open(`conclave/build/${build.id}`)
  await half.put('/assets/a-1.js', new Response('fir'))
  updates('1.0.0', one)
  asked = []
  expect(await looks()).toBe('taken')
  expect(asked.sort()).toEqual([RELEASE_ADDRESS, '/assets/a-1.js', '/assets/lib-1.js', '/build.json'])
  expect(await text(await fileOf(shelf, build, '/assets/a-1.js'))).toBe('first')
  await caches.open('conclave/build/abandoned')
  await clearOut(shelf, true)
  expect(await caches.keys()).toEqual([`conclave/build/${build.id}`])
})

test('A full disk: the version that is here goes on, the rest of the new one frees its room, and the reason is told', async () => {
  const first = updates('1.0.0', one)
  await takeOffered(shelf)
  const second = updates('1.1.0', two)
  caches.left = 20
  expect(await looks()).toBe('full')
  expect(await startsFrom()).toBe(first.id)
  expect(await caches.keys()).not.toContain(`conclave/build/${second.id}`)
})

test('The browser threw one file or all of them away: they are fetched again, and nothing is missing for good', async () => {
  const build = updates('1.0.0', one)
  await takeOffered(shelf)
  caches.all.get(`conclave/build/${build.id}`)?.delete('/assets/a-1.js')
  expect(await looks()).toBe('taken')
  caches.all.clear()
  expect(await startsFrom()).toBeUndefined()
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(build.id)
})

test('A server that goes back to an older version brings no old client back, and one that is away changes nothing', async () => {
  const first = updates('1.1.0', one)
  await takeOffered(shelf)
  updates('1.0.0', two)
  expect(await looks()).toBe('older')
  server = new Map()
  expect(await looks()).toBe('away')
  server = new Map([['/build.json', '<html>']])
  expect(await looks()).toBe('away')
  expect(await startsFrom()).toBe(first.id)
})

test('The files of the worker that stood here before go; what is nobody’s stays', async () => {
  for (const name of ['offline-1', 'offline-2', 'something else']) await caches.open(name)
  await clearFormer(shelf)
  expect(await caches.keys()).toEqual(['something else'])
})

const [operator, thief] = [newSigner(), newSigner()]

test('Before a signature was ever seen the server’s build is taken as it is, and the first signed one brings the key', async () => {
  updates('1.0.0', one)
  expect(await looks()).toBe('taken')
  expect(seen.key).toBeNull()
  // The same build, signed since.
  updates('1.0.0', one, operator)
  expect(await looks()).toBe('taken')
  expect(await looks()).toBe('current')
  expect(seen.key).toBe(operator.key)
  expect((await keptBuilds(shelf.caches)).map(({ signedBy }) => signedBy)).toEqual([operator.key])
  // What was signed stays so, also where the server has lost the signature of it.
  updates('1.0.0', one)
  expect(await looks()).toBe('current')
  expect((await keptBuilds(shelf.caches)).map(({ signedBy }) => signedBy)).toEqual([operator.key])
})

test('Emoji that only some browsers need are kept from when one has asked for them, by the hash of the build, and by the next build', async () => {
  const emoji = '/assets/emoji-1.ttf'
  const asksFor = () => asked.filter((address) => address === emoji).length
  updates('1.0.0', { ...one, [emoji]: 'all of them' })
  expect(await looks()).toBe('taken')
  expect([asksFor(), await looks(), await assetOf(shelf, emoji)]).toEqual([0, 'current', undefined])
  server.set(emoji, 'others')
  expect(await askAsset(shelf, emoji)).toBeUndefined()
  expect(await assetOf(shelf, emoji)).toBeUndefined()
  server.set(emoji, 'all of them')
  expect(await (await askAsset(shelf, emoji))?.text()).toBe('all of them')
  expect([await (await assetOf(shelf, emoji))?.text(), asksFor()]).toEqual(['all of them', 2])
  updates('1.1.0', { ...two, [emoji]: 'all of them' })
  expect(await looks()).toBe('taken')
  expect(caches.all.get(BUILD_CACHE + (await startsFrom()))?.has(emoji)).toBe(true)
  expect(asksFor()).toBe(2)
})

test('Once a key was seen nothing starts that it has not signed: not unsigned, not by another key, not by half a signature', async () => {
  const first = updates('1.0.0', one, operator)
  expect(await looks()).toBe('taken')
  updates('1.1.0', two)
  expect(await looks()).toBe('unsigned')
  const next = updates('1.1.0', two, thief)
  expect(await takeOffered(shelf)).toMatchObject({ outcome: 'other_key', offer: { version: '1.1.0', signedBy: thief.key } })
  const signed = operator.sign(next.id)
  for (const wrong of [
    { ...thief.sign(next.id), key: operator.key },
    { ...signed, signature: signed.signature.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')) },
    // A signature of another build, under the name of this one.
    { ...operator.sign(first.id), build: next.id },
    operator.sign(first.id),
    'rubbish',
  ]) {
    server.set(RELEASE_ADDRESS, JSON.stringify(wrong))
    expect(await looks(), JSON.stringify(wrong)).toBe('unsigned')
  }
  expect(await startsFrom()).toBe(first.id)
  expect(seen.key).toBe(operator.key)
  server.set(RELEASE_ADDRESS, JSON.stringify(signed))
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(next.id)
})

test('A build that says another version, contract or worker than was signed is no build', async () => {
  const build = updates('1.0.0', one, operator)
  for (const forged of [
    { version: '9.0.0' },
    { contract: 5 },
    { worker: sha256('other') },
    { files: { ...build.files, '/x': sha256('x') } },
  ]) {
    server.set('/build.json', JSON.stringify({ ...build, ...forged }))
    expect(await looks(), JSON.stringify(forged)).toBe('away')
  }
  expect(await startsFrom()).toBeUndefined()
})

test('A new key counts once the person has accepted it, and only the one that signs what the server offers', async () => {
  updates('1.0.0', one, operator)
  await takeOffered(shelf)
  const next = updates('1.1.0', two, thief)
  for (const other of [{ signedBy: newSigner().key }, { signedBy: null }, { id: sha256('other') }])
    expect(await takeAnyway(shelf, { id: next.id, signedBy: thief.key, ...other })).toBeUndefined()
  expect(await looks()).toBe('other_key')
  expect(await takeAnyway(shelf, { id: next.id, signedBy: thief.key })).toBe('taken')
  expect(await looks()).toBe('current')
  expect(await startsFrom()).toBe(next.id)
  updates('1.2.0', one, operator)
  expect(await looks()).toBe('other_key')
})

test('The copies were thrown away: key and version are remembered, and what may not be taken does not come back by that', async () => {
  updates('1.1.0', one, operator)
  await takeOffered(shelf)
  caches.all.clear()
  updates('1.2.0', two)
  expect(await looks()).toBe('unsigned')
  updates('1.0.9', two, operator)
  expect(await looks()).toBe('older')
  expect(await startsFrom()).toBeUndefined()
  expect(await fetchChecked(shelf, '/assets/a-2.js')).toBeUndefined()
  updates('1.1.0', one, operator)
  expect(await looks()).toBe('taken')
})

test('A file that a browser threw away is fetched again, and one with another byte is not handed on', async () => {
  const build = updates('1.0.0', one)
  // Before a build is here the page is the server's, and its files are.
  expect(await text(await fetchChecked(shelf, '/assets/a-1.js'))).toBe('first')
  await takeOffered(shelf)
  caches.all.get(`conclave/build/${build.id}`)?.delete('/assets/a-1.js')
  expect(await text(await fetchChecked(shelf, '/assets/a-1.js'))).toBe('first')
  server.set('/assets/a-1.js', 'furst')
  expect(await fetchChecked(shelf, '/assets/a-1.js')).toBeUndefined()
})

test('A file of no build here is taken from a server whose build may be taken, and from no other once a key was seen', async () => {
  updates('1.0.0', one, operator)
  await takeOffered(shelf)
  updates('1.1.0', two, operator)
  expect(await text(await fetchChecked(shelf, '/assets/a-2.js'))).toBe('second')
  updates('1.1.0', two, thief)
  expect(await fetchChecked(shelf, '/assets/a-2.js')).toBeUndefined()
})

test('A server that fails says nothing about its signature: nothing is taken, and nothing is called unsigned', async () => {
  updates('1.0.0', one, operator)
  await takeOffered(shelf)
  updates('1.1.0', two)
  const { fetch } = shelf
  shelf.fetch = async (address) => (address === RELEASE_ADDRESS ? new Response('', { status: 502 }) : await fetch(address))
  expect(await looks()).toBe('away')
})

test('The newest copy is gone and older ones are left: none starts that is older, or from before the key was seen', async () => {
  const unsigned = updates('1.0.0', one)
  await takeOffered(shelf)
  const signed = updates('1.0.0', two, operator)
  await takeOffered(shelf)
  await caches.delete(`conclave/build/${signed.id}`)
  expect(await startsFrom()).toBeUndefined()
  // The server offers just that one again.
  updates('1.0.0', one)
  expect(await looks()).toBe('unsigned')
  expect(await fetchChecked(shelf, '/')).toBeUndefined()
  expect(await startsFrom()).toBeUndefined()
  updates('1.0.0', one, operator)
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(unsigned.id)
  const newer = updates('1.1.0', two, operator)
  await takeOffered(shelf)
  await caches.delete(`conclave/build/${newer.id}`)
  expect(await startsFrom()).toBeUndefined()
})

test('A server lies once about the number of what it has: nothing stays of it, and the next version comes by itself', async () => {
  const honest = updates('1.0.0', one)
  await takeOffered(shelf)
  updates('1.99.9999', one, undefined, 14)
  expect(await looks()).toBe('taken')
  updates('1.0.0', one)
  expect(await looks()).toBe('current')
  expect([await startsFrom(), seen.newest]).toEqual([honest.id, { version: '1.0.0', contract: 4 }])
  const next = updates('1.0.1', two, undefined, 5)
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(next.id)
})

test('A browser that has believed a number beyond all others goes on by itself', async () => {
  for (const number of [
    { version: '999999.999999.999999', contract: 4 },
    { version: '1.0.0', contract: 1e300 },
  ]) {
    seen = readSeen({ key: null, newest: number })
    const build = updates('1.0.0', one)
    await (await caches.open('conclave/build/lie')).put(
      '/build.json',
      new Response(JSON.stringify({ ...build, id: 'lie', ...number, takenAt: 9 })),
    )
    expect(['taken', 'current']).toContain(await looks())
    expect(await startsFrom()).toBe(build.id)
  }
})

test('The first signature counts more than any number that nobody has signed', async () => {
  updates('1.99.0', two)
  await takeOffered(shelf)
  const signed = updates('1.0.0', one, operator)
  expect(await looks()).toBe('taken')
  expect([await startsFrom(), seen.newest?.version, seen.key]).toEqual([signed.id, '1.0.0', operator.key])
})

test('A version that was a lie is undone by its person: the copy of before starts, and the lie does not come back by itself', async () => {
  const before = updates('1.0.0', one)
  await takeOffered(shelf)
  const lie = updates('1.9.0', two)
  expect(await looks()).toBe('taken')
  const offer = (await takeOffered(shelf)).offer
  expect((await standingOf(shelf, offer)).before?.id).toBe(before.id)
  expect(await goBackTo(shelf, lie.id)).toBe(false)
  expect(await goBackTo(shelf, before.id)).toBe(true)
  expect(await startsFrom()).toBe(before.id)
  expect(await looks()).toBe('undone')
  expect(await startsFrom()).toBe(before.id)
  // What the server honestly has next comes by itself.
  const next = updates('1.0.1', { ...one, '/': 'next' })
  expect(await looks()).toBe('taken')
  expect(await startsFrom()).toBe(next.id)
})

test('An older, a far and an unsigned version are the person’s decision: none leaves them with clearing the browser alone', async () => {
  updates('1.5.0', one, operator)
  await takeOffered(shelf)
  const older = updates('1.0.0', two, operator)
  expect(await looks()).toBe('older')
  expect(await takeAnyway(shelf, { id: older.id, signedBy: operator.key })).toBe('taken')
  expect([await startsFrom(), seen.key]).toEqual([older.id, operator.key])
  const unsigned = updates('9.0.0', one)
  const { offer } = await takeOffered(shelf)
  expect((await standingOf(shelf, offer)).faults).toEqual(['unsigned', 'far'])
  expect(await takeAnyway(shelf, { id: unsigned.id, signedBy: null })).toBe('taken')
  expect([await startsFrom(), seen.key]).toEqual([unsigned.id, null])
  expect(await looks()).toBe('current')
})

test('The manifest of an installed app and other root files are those that the build names, also where the server has others', async () => {
  const manifest = '/manifest.webmanifest'
  const build = updates('1.0.0', { ...one, [manifest]: '{"start_url":"/"}' })
  await takeOffered(shelf)
  server.set(manifest, '{"start_url":"/x.html"}')
  server.set('/x.html', '<script>steal()</script>')
  expect(await text((await namedFile(shelf, manifest)).file)).toBe('{"start_url":"/"}')
  caches.all.get(`conclave/build/${build.id}`)?.delete(manifest)
  expect(await namedFile(shelf, manifest)).toEqual({ isNamed: true, file: undefined })
  expect(await namedFile(shelf, '/x.html')).toEqual({ isNamed: false, file: undefined })
})

test('A header that leads a page away, or makes a download of it, is not kept beside the page', async () => {
  const { fetch } = shelf
  shelf.fetch = async (address) => {
    const answer = await fetch(address)
    for (const [name, value] of [
      ['refresh', '0; url=https://evil.example'],
      ['content-disposition', 'attachment'],
      ['link', '</x>; rel=preload'],
    ] as const)
      answer.headers.set(name, value)
    return answer
  }
  const build = updates('1.0.0', one)
  await takeOffered(shelf)
  const page = await fileOf(shelf, build, '/')
  expect([...(page?.headers.keys() ?? [])].sort()).toEqual(['content-security-policy', 'content-type'])
})

/** What is done when `now` is called. */
function held(): { now: () => void; done: Promise<void> } {
  let now: () => void = () => undefined
  const done = new Promise<void>((resolve) => {
    now = resolve
  })
  return { now: () => now(), done }
}

test('Who goes back to the copy of before stays there, though the worker was looking, or looks meanwhile', async () => {
  const first = updates('1.0.0', one, operator)
  await takeOffered(shelf)
  const second = updates('1.1.0', two, operator)
  await takeOffered(shelf)
  const worker = makeLooks(shelf)
  const { write } = shelf.memory
  const [isWriting, save, decide] = [held(), held(), held()]
  shelf.memory.write = async (next) => {
    isWriting.now()
    if (next.undone === undefined) await save.done
    await write(next)
  }
  const before = worker.newer()
  await isWriting.done
  const decision = worker.decided(async () => {
    await decide.done
    return await goBackTo(shelf, first.id)
  })
  save.now()
  await before
  asked = []
  const after = worker.newer()
  await new Promise(setImmediate)
  expect(asked).toEqual([])
  decide.now()
  expect(await decision).toBe(true)
  expect((await after).outcome).toBe('undone')
  expect([await startsFrom(), seen.undone]).toEqual([first.id, second.id])
})
