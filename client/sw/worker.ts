import type { Outcome } from '../net/offered.ts'
import { keptMemory } from '../net/seen.ts'
import { type Answering, answering } from './builds.ts'
import {
  askAsset,
  assetOf,
  clearFormer,
  fetchChecked,
  fileOf,
  goBackTo,
  type Look,
  namedFile,
  type Shelf,
  standingOf,
  startedBuild,
  takeAnyway,
} from './keep.ts'
import { makeLooks } from './looks.ts'
import { noPage, nothingHere } from './nothing.ts'
import { listenForPush } from './push.ts'
import { isDecision, nothingRefused, stopped } from './stopped.ts'

// Starts the newest complete build and fetches a newer one for the next start.

const scope = globalThis as unknown as ServiceWorkerGlobalScope
const shelf: Shelf = {
  caches: scope.caches,
  memory: keptMemory,
  fetch: (address, init) => fetch(address, init),
  clock: () => Date.now(),
}
const looks = makeLooks(shelf)

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(begin()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  if (isDecision(request, scope.location.origin)) {
    event.respondWith(decide(request))
    return
  }
  const found = answering(request, scope.location.origin)
  if (!found) return
  if (found.from === 'page') event.waitUntil(looks.newer())
  event.respondWith(answer(request, found))
})
scope.addEventListener('message', (event) => {
  const { kind } = Object(event.data)
  const reply = (look: Look) =>
    event.ports[0]?.postMessage({ outcome: look.outcome, version: look.offer?.version, key: look.offer?.signedBy })
  if (kind === 'update') event.waitUntil(looks.newer().then(reply))
  // The page's start began a look.
  if (kind === 'standing') event.waitUntil(looks.latest().then(reply))
})
listenForPush(scope)

async function begin(): Promise<void> {
  await clearFormer(shelf)
  await scope.clients.claim()
  await looks.newer()
}

async function answer(request: Request, { from, address }: Answering): Promise<Response> {
  if (from === 'page') return (await ofNewest(address)) ?? (await firstPage(request, address))
  if (from === 'asset') return (await assetOf(shelf, address)) ?? (await askAsset(shelf, address)) ?? Response.error()
  if (from === 'version') return await showStanding()
  if (from === 'nowhere' && request.method !== 'GET') return noPage()
  const { isNamed, file } = await namedFile(shelf, address)
  if (from === 'nowhere') return file ?? noPage()
  return file ?? (isNamed ? Response.error() : await fetch(request))
}

async function showStanding(): Promise<Response> {
  const { outcome, offer } = await looks.newer()
  const standing = await standingOf(shelf, offer)
  if (outcome === 'away' && !standing.before) return nothingHere()
  return standing.faults.length > 0 || outcome === 'broken' ? stopped(standing) : nothingRefused(standing, outcome)
}

/** The server's page starts first; after the copies were thrown away, only if its build may be taken. */
async function firstPage(request: Request, address: string): Promise<Response> {
  const { key, newest } = await shelf.memory.read()
  if (key === null && newest === null) return await fetch(request).catch(nothingHere)
  const { outcome, offer } = await looks.newer()
  if (!offer || outcome === 'away') return nothingHere()
  const page = await ofNewest(address)
  if (page) return page
  const standing = await standingOf(shelf, offer)
  if (standing.faults.length > 0) return stopped(standing)
  if (key === null) return await fetch(request).catch(nothingHere)
  return (await fetchChecked(shelf, address)) ?? stopped(standing)
}

/** Any page could send a message. */
async function decide(request: Request): Promise<Response> {
  const said = await request.formData()
  const [act, id, key] = ['act', 'build', 'key'].map((name) => String(said.get(name)))
  const done = await looks.decided<Outcome | boolean | undefined>(() =>
    act === 'before' ? goBackTo(shelf, id ?? '') : takeAnyway(shelf, { id: id ?? '', signedBy: key || null }),
  )
  return done === true || done === 'taken' || done === 'full' ? Response.redirect('/', 303) : await showStanding()
}

async function ofNewest(address: string): Promise<Response | undefined> {
  const newest = await startedBuild(shelf)
  return newest && (await fileOf(shelf, newest, address))
}
