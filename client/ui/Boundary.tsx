import { CloudOff, TriangleAlert } from 'lucide-react'
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Empty } from './Empty.tsx'
import { isNotLoaded } from './notloaded.ts'

interface State {
  failed: 'no' | 'bug' | 'not_loaded'
  /** Names this failure in the browser's console, for whoever reports it. */
  incidentId: string
}

interface Props {
  /** True if the screen is the whole page, so that the text is its main part. */
  isPage?: boolean
  children: ReactNode
}

/**
 * Error boundary of a screen, which shows a text instead of a white page after a bug, or where a part of the code did not load. React
 * needs a class for it.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { failed: 'no', incidentId: '' }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: isNotLoaded(error) ? 'not_loaded' : 'bug', incidentId: crypto.randomUUID() }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    reportError(new Error(`Incident ${this.state.incidentId}${componentStack ?? ''}`, { cause: error }))
  }

  override render() {
    const { failed, incidentId } = this.state
    if (failed === 'no') return this.props.children
    const Place = this.props.isPage ? 'main' : 'div'
    return (
      <Place className="centre">
        {failed === 'not_loaded' ? (
          <Empty
            isTitle
            icon={CloudOff}
            title="This part of the page did not load"
            text="Check the connection, then reload. If that does not help, the server was just updated. What you wrote is kept."
          >
            <Reload />
          </Empty>
        ) : (
          <Empty
            isTitle
            icon={TriangleAlert}
            title="This screen failed"
            text="Loading the page again usually helps. If it happens again, tell whoever runs your server the number below: the browser’s console has the details under it. Nothing was sent to anybody."
          >
            <p className="incident mono">Incident {incidentId}</p>
            <Reload />
          </Empty>
        )}
      </Place>
    )
  }
}

const Reload = () => (
  <button type="button" className="btn primary" onClick={() => location.reload()}>
    Reload
  </button>
)
