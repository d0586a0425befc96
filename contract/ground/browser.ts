/** '' stands for an unknown name. */
export interface BrowserName {
  browser: string
  system: string
}

// The order decides: Edge and Opera also say Chrome, and all say Safari.
const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Returns words of these lists, never of the header. */
export function browserOf(agent: string): BrowserName {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? ''
  return { browser: find(BROWSERS), system: find(SYSTEMS) }
}
