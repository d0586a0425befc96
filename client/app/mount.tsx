import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { Env } from '../env.ts'
import { photosStore } from '../me/photo/photosState.ts'
import { EnvContext } from '../ui/env.tsx'
import { PhotosContext } from '../ui/photosContext.tsx'
import { App } from './App.tsx'
import { noteTyped } from './takeover.tsx'
import { startTheme } from './theme.ts'

const PHOTOS = {
  store: photosStore,
  // Without the code there are monograms.
  want: (path: string) =>
    void import('../me/photo/fetchPhotos.ts').then(({ wantPhoto }) => wantPhoto(path)).catch(() => undefined),
}

/** Renders the app in `#root`, in the place of the static frame. */
export function mount(env: Env): void {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  startTheme()
  const retype = noteTyped(root)
  flushSync(() =>
    createRoot(root).render(
      <EnvContext value={env}>
        <PhotosContext value={PHOTOS}>
          <App />
        </PhotosContext>
      </EnvContext>,
    ),
  )
  retype()
}
