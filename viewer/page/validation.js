// validation
