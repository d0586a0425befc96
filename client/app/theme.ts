import { createStore } from 'zustand/vanilla'

type Theme = 'light' | 'dark'

const KEY = 'theme'
const systemDark = () => matchMedia('(prefers-color-scheme: dark)')

export const themeStore = createStore<{ theme: Theme }>(() => ({ theme: 'light' }))

/** Shows the stored choice, or the system's preference while nothing is stored. */
export function startTheme(): void {
  apply(storedTheme() ?? systemTheme())
  systemDark().addEventListener('change', () => {
    if (!storedTheme()) apply(systemTheme())
  })
}

export function toggleTheme(): void {
  const theme = themeStore.getState().theme === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // If storage is blocked, the choice lasts until the page is closed.
  }
  apply(theme)
}

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  themeStore.setState({ theme })
}

const systemTheme = (): Theme => (systemDark().matches ? 'dark' : 'light')

function storedTheme(): Theme | undefined {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : undefined
  } catch {
    // If storage is blocked, the system's preference applies.
    return undefined
  }
}
