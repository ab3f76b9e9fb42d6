// What is served besides the page itself and its style.
#define EACH_SCRIPT(each) \
  each(main) each(camera) each(course) each(daemon) each(daylight) each(layers) each(motion) \
  each(panels) each(profile) each(ride) each(units) each(view)
