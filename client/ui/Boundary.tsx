import { CloudOff, TriangleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Empty } from './Empty.tsx'
import { isNotLoaded } from './notloaded.ts'

interface State {
  failed: 'no' | 'bug' | 'not_loaded'
}

/**
 * Error boundary of a screen, which shows a text instead of a white page after a bug, or where a part of the code did not load. React
 * needs a class for it.
 */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: 'no' }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: isNotLoaded(error) ? 'not_loaded' : 'bug' }
  }

  override render() {
    const { failed } = this.state
    if (failed === 'no') return this.props.children
    return (
      <div className="centre" role="alert">
        {failed === 'not_loaded' ? (
          <Empty
            icon={CloudOff}
            title="This part of the page did not load"
            text="Check the connection, then reload. If that does not help, the server was just updated. What you wrote is kept."
          >
            <Reload />
          </Empty>
        ) : (
          <Empty icon={TriangleAlert} title="This screen failed" text="Loading the page again usually helps.">
            <Reload />
          </Empty>
        )}
      </div>
    )
  }
}

const Reload = () => (
  <button type="button" className="btn primary" onClick={() => location.reload()}>
    Reload
  </button>
)
