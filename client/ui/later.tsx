import { type ComponentType, useEffect, useState } from 'react'

type Later<Props> = ComponentType<Props> & {
  /** Loads the code before it is shown, where whoever asks for it types on at once. A failure is told when it is shown. */
  preload: () => Promise<void>
}

/**
 * A component whose code is loaded when it is first shown. Where that fails, because the browser is offline or the server has been
 * updated, it says so and offers to try again: the screen around it stays, with everything typed there. `Meanwhile` is shown while the
 * code is on its way.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: ComponentType<Props>,
): Later<Props> {
  let loaded: ComponentType<Props> | undefined
  const take = async (): Promise<void> => {
    loaded = await load()
  }
  function Shown(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(loaded ? 'loaded' : 'loading')
    useEffect(() => {
      if (state !== 'loading') return
      let isShown = true
      const show = (next: 'loaded' | 'failed') => {
        if (isShown) setState(next)
      }
      take().then(
        () => show('loaded'),
        () => show('failed'),
      )
      return () => {
        isShown = false
      }
    }, [state])
    if (loaded && state === 'loaded') {
      const Loaded = loaded
      return <Loaded {...props} />
    }
    if (state !== 'failed') return Meanwhile ? <Meanwhile {...props} /> : null
    return (
      <div className="not-loaded" role="alert">
        <p>
          This part of the page did not load. Check the connection and try again. If that does not help, the server was just
          updated: reload the page. Drafts are kept.
        </p>
        <button type="button" className="btn primary" onClick={() => setState('loading')}>
          Try again
        </button>
        <button type="button" className="btn outline" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
  const preload = async () => {
    if (!loaded) await take().catch(() => undefined)
  }
  return Object.assign(Shown, { preload })
}
