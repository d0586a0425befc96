// A classic script, so that it runs before the first paint: neither the other theme nor the wrong frame may flash. It asks for the
// user while the code loads.
{
  const { dataset } = document.documentElement
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
  // A tab that was signed out says why, above another form than a visitor's, once the answer is here.
  const isVisitor = stored('user') === null && stored('signed-out', 'sessionStorage') === null
  dataset.frame = isVisitor ? 'form' : 'app'
  globalThis.early = {}
  // A logout that still has to be sent comes before any other call.
  if (stored('logout-owed') === null) {
    const init = { credentials: 'same-origin', cache: 'no-store', headers: { Accept: 'application/json' } }
    globalThis.early.user = fetch('/api/user', init)
    globalThis.early.user.catch(() => undefined)
  }
  // What is pressed in the static form is pressed again in the live one.
  document.addEventListener('click', ({ target }) => {
    globalThis.early.pressed = target.closest?.('button')
  })
}
