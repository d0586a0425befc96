import { objectIdOf, objectPath } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { patience } from '../../net/patience.ts'
import { connectionStore } from '../../net/status.ts'
import { photosStore } from './photosState.ts'

/** What people send meanwhile shall not wait for photos. */
const AT_ONCE = 3
/** Photos that stay in memory. One that this product has made has some 20 kB. */
const KEPT = 300
const TYPES = ['image/jpeg', 'image/png', 'image/gif']

/** Paths that wait or are being loaded. */
const asked = new Set<string>()
const waiting: string[] = []
let loading = 0
/** Paths that could not be loaded. They are tried again with the next connection. */
const failed = new Set<string>()

connectionStore.subscribe(({ phase }, before) => {
  if (phase !== 'open' || before.phase === 'open') return
  const again = [...failed]
  failed.clear()
  again.forEach(wantPhoto)
})
// Another account has other people.
photosStore.subscribe(({ photos }) => void (photos.size === 0 && failed.clear()))

/** Has the photo of this path loaded, unless it is here, under way, or was not to be had. */
export function wantPhoto(path: string): void {
  if (photosStore.getState().photos.has(path) || asked.has(path) || failed.has(path)) return
  asked.add(path)
  waiting.push(path)
  loadNext()
}

function loadNext(): void {
  const path = loading < AT_ONCE ? waiting.shift() : undefined
  if (path === undefined) return
  loading += 1
  void load(path)
    .catch(() => undefined)
    .then((url) => {
      if (url === undefined) failed.add(path)
      else show(path, url)
      loading -= 1
      asked.delete(path)
      loadNext()
    })
}

/** Loads one photo into memory; undefined if there is none. Only this server is asked, whatever address it has named. */
async function load(path: string): Promise<string | undefined> {
  const id = objectIdOf(path)
  if (id === undefined) return undefined
  const signal = AbortSignal.timeout(patience().readSilenceMs)
  // The browser's cache must not store data of an account.
  const response = await fetch(objectPath(id), { credentials: 'same-origin', cache: 'no-store', signal })
  const { ok, headers } = response
  const isFit = Number(headers.get('content-length') ?? Number.NaN) <= LIMITS.photoBytes
  if (!ok || !isFit || !TYPES.includes(headers.get('content-type') ?? '')) return undefined
  const { fitPhoto } = await import('./fitPhoto.ts')
  const photo = await fitPhoto(await response.blob())
  return photo && URL.createObjectURL(photo)
}

function show(path: string, url: string): void {
  const photos = new Map([...photosStore.getState().photos, [path, url]])
  for (const [oldest, shown] of photos) {
    if (photos.size <= KEPT) break
    URL.revokeObjectURL(shown)
    photos.delete(oldest)
  }
  photosStore.setState({ photos })
}
