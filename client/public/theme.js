// A classic script, so that it runs before the first paint: a stored choice must not flash the other theme.
try {
  const stored = localStorage.getItem('theme')
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
} catch {
  // Storage is blocked: the system's preference holds.
}
