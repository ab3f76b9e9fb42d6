extension SVGCanvas {
  /// Opens the picture.
  mutating func begin(width: Double, height: Double) {
    raw("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
    number(width)
    raw(" ")
    number(height)
    raw("\">\n")
  }

  /// Colours and fonts, for light and for dark. Every colour of a text has a contrast of at least 4.5 to its paper; what
  /// differs in meaning differs in shape too.
  mutating func style() {
    raw(
      """
      <style>
      text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
      .title{font-size:16px;font-weight:700}.small{font-size:11px}.bold{font-weight:700}
      .paper{fill:#fff}.panel{fill:#f3f5f7}.ink{fill:#1b1f24}.muted{fill:#4e5864}
      .grid{stroke:#cfd6dd;stroke-width:.8}.rule{stroke:#4e5864;stroke-width:1.4}
      .raw{fill:none;stroke:#98a4b0;stroke-width:38;stroke-linecap:round}
      .way{fill:none;stroke:#0b62c4;stroke-width:17;stroke-linejoin:round;stroke-linecap:round}
      .fix{fill:none;stroke:#0b3f82;stroke-width:36;stroke-linecap:round}
      .loss{fill:none;stroke:#c4261d;stroke-width:22;stroke-dasharray:55 45}
      .lost{fill:#c4261d;opacity:.16}.cross{stroke:#c4261d;stroke-width:2.4;stroke-linecap:round}
      .stop{fill:#ffb000;stroke:#5c3d00;stroke-width:1.2}.still{fill:#ffb000;opacity:.25}
      .free{fill:#fff;stroke:#7a1fa2;stroke-width:2}.follow{fill:#7a1fa2;stroke:#fff;stroke-width:1}
      .turn{stroke:#7a1fa2;stroke-width:1.4;stroke-dasharray:3 2}
      .begin{fill:#1a7f37;stroke:#fff;stroke-width:1.5}.finish{fill:#1b1f24;stroke:#fff;stroke-width:1.5}
      .band{fill:#0b62c4;opacity:.22}.speed{fill:none;stroke:#0b62c4;stroke-width:15;stroke-linejoin:round}
      .accuracyband{fill:#a04a00;opacity:.22}
      .accuracy{fill:none;stroke:#a04a00;stroke-width:15;stroke-linejoin:round}
      .tenfold{stroke-width:18}
      @media (prefers-color-scheme:dark){
      .paper{fill:#0d1117}.panel{fill:#171d26}.ink{fill:#f0f3f6}.muted{fill:#a9b4c0}
      .grid{stroke:#36404c}.rule{stroke:#a9b4c0}.raw{stroke:#5c6875}.way{stroke:#58a6ff}.fix{stroke:#a5d0ff}
      .loss,.cross{stroke:#ff7b72}.lost{fill:#ff7b72}.stop{stroke:#fff3d1}
      .free{fill:#0d1117;stroke:#d2a8ff}.follow{fill:#d2a8ff;stroke:#0d1117}.turn{stroke:#d2a8ff}
      .begin{fill:#3fb950;stroke:#0d1117}.finish{fill:#f0f3f6;stroke:#0d1117}
      .band{fill:#58a6ff}.speed{stroke:#58a6ff}.accuracyband{fill:#f0883e}.accuracy{stroke:#f0883e}}
      </style>

      """)
  }
}
