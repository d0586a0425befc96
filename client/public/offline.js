// Runs on /offline, which a browser with a lock keeps for when the server cannot be reached. It opens nothing: it waits.
{
  const EVERY_MS = 5000
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const theme = stored('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const user = stored('user')
  if (user) document.getElementById('who').textContent = `@${JSON.parse(user).username}`
  else {
    // Nobody is signed in any more: there is nothing to unlock.
    document.getElementById('title').textContent = 'Conclave'
    document.getElementById('locked').hidden = true
  }

  const state = document.getElementById('state')
  async function tryNow() {
    try {
      const { ok } = await fetch('/api/health', { cache: 'no-store' })
      if (ok) return location.pathname === '/offline' ? location.replace('/') : location.reload()
    } catch {
      // Said below.
    }
    state.textContent = navigator.onLine ? 'The server cannot be reached.' : 'This computer is offline.'
  }
  void tryNow()
  setInterval(tryNow, EVERY_MS)
  addEventListener('online', tryNow)
  document.getElementById('again').addEventListener('click', tryNow)
}
