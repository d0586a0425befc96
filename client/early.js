// A classic script, so that it runs before the first paint: neither the other theme nor the wrong frame may flash. It asks for what
// a start needs first while the code loads.
{
  const { dataset } = document.documentElement
  const { pathname, search, hash } = location
  const stored = (key, storage = 'localStorage') => {
    try {
      return globalThis[storage].getItem(key)
    } catch {
      // Storage is blocked: the system's preference holds, and nobody is known here.
      return null
    }
  }
  const theme = stored('theme')
  if (theme === 'light' || theme === 'dark') dataset.theme = theme
  const text = stored('text')
  if (text) dataset.text = text

  // What the product cannot do without, by the names that browsers give it. Without WebAssembly it is slower, without IndexedDB it keeps
  // nothing.
  const { isSecureContext, RTCPeerConnection } = globalThis
  const { locks, mediaDevices, standalone } = navigator
  const missing = (names) =>
    Object.keys(names)
      .filter((name) => !names[name])
      .join(', ')
      .replace(/, ([^,]*)$/, ' and $1')
  const lacks = missing({
    'a secure connection (https)': isSecureContext,
    'Web Crypto': globalThis.crypto?.subtle || !isSecureContext,
    'Web Workers': globalThis.Worker,
    // Two tabs would spoil each other's keys.
    'Web Locks': locks || !isSecureContext,
    BroadcastChannel: globalThis.BroadcastChannel,
    'streams (ReadableStream)': globalThis.ReadableStream,
    WebSocket: globalThis.WebSocket,
    'JavaScript of 2024':
      Array.prototype.toSorted &&
      globalThis.Intl?.Segmenter &&
      globalThis.URL?.canParse &&
      globalThis.Element?.prototype.checkVisibility,
  })
  // What it goes without, told above the form by client/ui/WindowNote.tsx.
  const goesWithout = missing({
    calls: RTCPeerConnection && mediaDevices,
    'direct transfers': RTCPeerConnection,
    'voice messages': globalThis.MediaRecorder && mediaDevices,
    passkeys: globalThis.PublicKeyCredential,
    // Safari of an iPhone has them once Conclave is on the Home Screen.
    'notifications while it is closed': globalThis.PushManager || standalone === false,
  })
  // The addresses of contract/site/pages.ts that are no page.
  const isNowhere = /\.[^/]*$|^\/(api|assets|objects|s3|sandbox|ws)(\/|$)/.test(pathname)
  const isOwed = stored('logout-owed') !== null
  // A tab that was signed out says why, above another form than a visitor's, once the answer is here.
  const isReturning = stored('signed-out', 'sessionStorage') !== null || /[?&]tab=signin\b/.test(search)
  // By these hashes the sign-in and other pages lead to the landing, whoever has been here before.
  const isAsked = /^#(home|passage|features|prices)$/.test(hash)
  // Where the server let nobody in who does not come by Tor, no form is shown before it has answered.
  const isShut = stored('door') !== null
  const isLanding = pathname === '/' && !isOwed && (isAsked || (!isReturning && stored('visited') === null))
  const forVisitor = isLanding ? 'landing' : isReturning || isShut ? 'app' : 'form'
  dataset.frame = lacks ? 'lacks' : isNowhere ? 'nowhere' : stored('user') !== null ? 'app' : forVisitor

  const noteDoor = async (answer) => {
    const { code } = answer.status === 403 ? await answer.clone().json() : {}
    if (code === 'tor_required') localStorage.setItem('door', 'yes')
    else localStorage.removeItem('door')
  }

  globalThis.early = { goesWithout }
  if (dataset.frame === 'lacks') {
    document.addEventListener('DOMContentLoaded', () => {
      const named = document.getElementById('lacks')
      if (named) named.textContent = lacks
    })
  } else if (!isOwed && !isNowhere) {
    // A logout that still has to be sent comes before any other call.
    const init = { credentials: 'same-origin', cache: 'no-store', headers: { Accept: 'application/json' } }
    const asked = { '/api/user': fetch('/api/user', init) }
    Object.assign(globalThis.early, { asked, askedAtMs: Date.now() })
    const unlock = '/api/devices/unlock'
    const drop = () => {
      // An answer that nobody reads keeps its connection.
      asked[unlock]?.then(({ body }) => body?.cancel()).catch(() => undefined)
      delete asked[unlock]
    }
    // A member's vault opens by both answers. The pages to read open none.
    if (stored('user') !== null && dataset.page === undefined) {
      asked[unlock] = fetch(unlock, init)
      asked[unlock].catch(drop)
    }
    asked['/api/user']
      .then((answer) => {
        if (!answer.ok) drop()
        return noteDoor(answer)
      })
      .catch(drop)
  }
  // Past the landing once, past it for good: here and not in the code, which may still be loading when the next page is opened. The
  // pages to read (page.html) have no frames.
  if (dataset.page === undefined && (dataset.frame === 'form' || dataset.frame === 'app')) {
    try {
      localStorage.setItem('visited', 'yes')
    } catch {
      // Storage is blocked: the landing is shown again.
    }
  }
  // What is pressed in the static form is pressed again in the live one: from its beginning on, because the form may be replaced
  // before its end.
  const buttonAt = ({ target }) => target.closest?.('.frame-form button')
  document.addEventListener('pointerdown', (event) => {
    globalThis.early.pressed = buttonAt(event)
  })
  document.addEventListener('click', (event) => {
    // The landing is another frame of this address. In the live form me/signin/AuthFrame.tsx does this.
    if (event.target.closest?.('.frame-form [href="/#home"]'))
      globalThis.addEventListener('hashchange', () => location.reload(), { once: true })
    const button = buttonAt(event)
    globalThis.early.pressed = button
    if (!button?.matches('[role=tab][aria-selected=false]')) return
    // The tabs change places at once; what each has stays in it.
    globalThis.early.pressed = null
    dataset.tab = dataset.tab === 'signin' ? 'signup' : 'signin'
    const shown = button.closest('.frame-form > *')
    const { content } = document.getElementById('other-tab')
    shown.replaceWith(content)
    content.append(shown)
    document.querySelector('.frame-form [role=tab][aria-selected=true]').focus()
  })
  document.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target.form) globalThis.early.pressed = target.form.querySelector('[type=submit]')
  })
  // For a file that nothing takes the browser would leave the page, and with it what was typed.
  for (const type of ['dragover', 'drop'])
    globalThis.addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes('Files') || event.target.type === 'file') return
      event.preventDefault()
      // Told by app/Notices.tsx, which may not be there yet.
      if (type === 'drop') globalThis.early.untaken = true
    })
  // Sent by the browser itself, a form would write its fields into the address.
  document.addEventListener('submit', (event) => event.preventDefault())
}
