// The service worker of a browser with a lock. While the server cannot be reached it answers the load of a page by /offline, which
// says so; everything else goes to the server as without it. It keeps these three files and nothing else.
const FILES = ['/offline', '/offline.css', '/offline.js']
// A change of one of the files needs another number here: it is what makes browsers fetch them anew.
const KEPT = 'offline-2'

addEventListener('install', (event) => event.waitUntil(keep()))
addEventListener('activate', (event) => event.waitUntil(begin()))
addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url)
  if (event.request.mode === 'navigate') event.respondWith(load(event))
  else if (FILES.includes(pathname)) event.respondWith(fetch(event.request).catch(() => kept(pathname)))
})

async function keep() {
  const cache = await caches.open(KEPT)
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })))
  await skipWaiting()
}

async function begin() {
  for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name)
  // The page is asked for while this worker starts.
  await registration.navigationPreload?.enable()
  await clients.claim()
}

async function load({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return kept('/offline')
  }
}

const kept = async (file) => (await caches.match(file)) ?? Response.error()
